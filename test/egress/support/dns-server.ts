import { createSocket, type RemoteInfo } from "node:dgram";
import { parseAddress } from "../../../src/egress/address.ts";

/** What the server knows of one name. */
export interface Zone {
  /** Addresses of both families, in this order. */
  readonly addresses?: readonly string[];
  /** Another name, answered in place of addresses; its own addresses are put into the same answer where it is known. */
  readonly alias?: string;
  /** 0: no error, 2: server failure, 3: no such name (RFC 1035, section 4.1.1). */
  readonly code?: number;
  /** Query type, A or AAAA, that gets the code; the other one is answered. */
  readonly codeFor?: "A" | "AAAA";
  /** Owner name in the answer, where it lies. */
  readonly owner?: string;
  readonly ttl?: number;
  /** True: the query is not answered at all. */
  readonly silent?: boolean;
}

/** A real DNS server on a loopback UDP port, with a log. */
export interface DnsServer {
  readonly address: string;
  /** Every query as `A name` or `AAAA name`. */
  readonly log: string[];
  /** What is known; names that are missing do not exist. A function is asked at each query. */
  readonly zones: Map<string, Zone | (() => Zone)>;
  readonly close: () => Promise<void>;
}

const types: Readonly<Record<number, "A" | "AAAA">> = { 1: "A", 28: "AAAA" };

export async function startDns(): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const log: string[] = [];
  const zones = new Map<string, Zone | (() => Zone)>();
  socket.on("message", (query, from) => answer(query, from));
  await new Promise<void>((done) => socket.bind(0, "127.0.0.1", done));
  const { port } = socket.address();

  function answer(query: Buffer, from: RemoteInfo): void {
    const { name, type, end } = questionOf(query);
    log.push(`${type} ${name}`);
    const known = zones.get(name);
    const zone = typeof known === "function" ? known() : (known ?? { code: 3 });
    if (zone.silent === true) return;
    const code = zone.codeFor === undefined || zone.codeFor === type ? (zone.code ?? 0) : 0;
    const records = code === 0 ? recordsOf(name, zone, type) : [];
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 | code, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address);
  }

  function recordsOf(name: string, zone: Zone, type: string): Buffer[] {
    const ttl = zone.ttl ?? 60;
    if (zone.alias !== undefined) {
      const next = zones.get(zone.alias);
      const target = typeof next === "function" ? next() : next;
      const chased = target === undefined || target.alias !== undefined ? [] : recordsOf(zone.alias, target, type);
      return [record(name, 5, ttl, encodeName(zone.alias)), ...chased];
    }
    return (zone.addresses ?? []).flatMap((text) => {
      const address = parseAddress(text);
      if (address === undefined || (address.family === 4) !== (type === "A")) return [];
      return [record(zone.owner ?? name, address.family === 4 ? 1 : 28, ttl, Buffer.from(address.bytes))];
    });
  }

  return {
    address: `127.0.0.1:${port}`,
    log,
    zones,
    close: () => new Promise((done) => socket.close(() => done())),
  };
}

function questionOf(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + size).toString("latin1"));
    at += 1 + size;
  }
  const type = query.readUInt16BE(at + 1);
  return { name: labels.join(".").toLowerCase(), type: types[type] ?? String(type), end: at + 5 };
}

function encodeName(name: string): Buffer {
  return Buffer.concat([
    ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, "latin1")])),
    Buffer.from([0]),
  ]);
}

function record(name: string, type: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}
