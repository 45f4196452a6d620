import { createSocket } from "node:dgram";

/** Answers a query with any bytes, or with none. `question` is the query's own question section. */
export type RawAnswer = (query: Buffer, question: Buffer, type: "A" | "AAAA") => Buffer | undefined;

/** A DNS server on a loopback UDP port that says whatever it is told to. */
export async function startRawDns(answer: RawAnswer): Promise<{ address: string; close: () => Promise<void> }> {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const end = questionEnd(query);
    const type = query.readUInt16BE(end - 4) === 1 ? "A" : "AAAA";
    const bytes = answer(query, query.subarray(12, end), type);
    if (bytes !== undefined) socket.send(bytes, from.port, from.address);
  });
  await new Promise<void>((done) => socket.bind(0, "127.0.0.1", done));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise((done) => socket.close(() => done())),
  };
}

function questionEnd(query: Buffer): number {
  let at = 12;
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) at += 1 + size;
  return at + 5;
}

/** Sections of a message; the header's counts follow from them. */
export interface Sections {
  readonly flags?: number;
  readonly answers?: readonly Buffer[];
  readonly authority?: readonly Buffer[];
  readonly additional?: readonly Buffer[];
}

/** A whole message to a query (RFC 1035, section 4.1). */
export function message(query: Buffer, question: Buffer, sections: Sections): Buffer {
  const { flags = 0x8180, answers = [], authority = [], additional = [] } = sections;
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  for (const [index, value] of [flags, 1, answers.length, authority.length, additional.length].entries())
    head.writeUInt16BE(value, 2 + 2 * index);
  return Buffer.concat([head, question, ...answers, ...authority, ...additional]);
}

/** One record. Its owner is the question's name unless `owner` is given. */
export function rawRecord(type: number, data: Buffer | readonly number[], owner?: Buffer, klass = 1): Buffer {
  const fixed = Buffer.alloc(10);
  const bytes = Buffer.from(data);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(klass, 2);
  fixed.writeUInt32BE(60, 4);
  fixed.writeUInt16BE(bytes.length, 8);
  return Buffer.concat([owner ?? Buffer.from([0xc0, 12]), fixed, bytes]);
}
