import { connect, type Socket } from "node:net";

/** A TCP client that sends exactly the bytes it is given: real clients clean them up. */
export interface RawClient {
  readonly socket: Socket;
  /** Text is sent as Latin-1. */
  readonly send: (data: string | Uint8Array) => void;
  /** All that was received so far, as Latin-1. */
  readonly received: () => string;
  /** Waits until the received text matches. @throws where the connection ends first */
  readonly until: (pattern: RegExp) => Promise<string>;
  /** Waits for the other side's end, and gives all that was received. */
  readonly closed: Promise<string>;
}

export async function connectRaw(port: number): Promise<RawClient> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const parts: Buffer[] = [];
  const waiting = new Set<() => void>();
  const received = () => Buffer.concat(parts).toString("latin1");
  const ended = Promise.withResolvers<string>();
  socket.on("data", (part: Buffer) => {
    parts.push(part);
    for (const look of waiting) look();
  });
  socket.on("error", () => undefined);
  socket.once("end", () => ended.resolve(received()));
  socket.once("close", () => ended.resolve(received()));
  await new Promise((done) => socket.once("connect", done));
  return {
    socket,
    send: (data) => void socket.write(typeof data === "string" ? Buffer.from(data, "latin1") : data),
    received,
    until: async (pattern) => {
      const found = Promise.withResolvers<string>();
      const look = () => {
        if (pattern.test(received())) found.resolve(received());
      };
      waiting.add(look);
      look();
      const first = await Promise.race([found.promise, ended.promise]);
      waiting.delete(look);
      if (!pattern.test(first)) throw new Error(`ended without ${String(pattern)}: ${first}`);
      return first;
    },
    closed: ended.promise,
  };
}

/** Sends one request and gives the whole answer. */
export async function ask(port: number, request: string): Promise<string> {
  const client = await connectRaw(port);
  client.send(request);
  const answer = await client.closed;
  client.socket.destroy();
  return answer;
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
