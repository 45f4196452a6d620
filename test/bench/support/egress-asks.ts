import { type IncomingMessage, request as ask, type RequestOptions } from "node:http";
import { connect, type Socket } from "node:net";

/** Where the origin listens. */
export const originAddress = "127.0.0.2";

/** One way to the origin; `proxy` is a port on the loopback and the process behind it, undefined for the direct way. */
export interface Way {
  readonly name: string;
  readonly proxy: { readonly port: number; readonly pid: number } | undefined;
}

/** What is asked of the origin: so many bytes down, and up. */
export interface Load {
  readonly down: number;
  readonly up?: number;
  readonly chunked?: boolean;
}

/** One request by one way; resolves with the bytes that came. */
export type Ask = (origin: number, way: Way, load: Load) => Promise<number>;

const upload = Buffer.alloc(65_536, "y");

/** A request of its own connection; resolves with the bytes of its body. */
export function forwarded(origin: number, { proxy }: Way, load: Load): Promise<number> {
  const place = `${originAddress}:${origin}`;
  const options = { agent: false as const, headers: { Host: place } };
  return proxy === undefined
    ? exchanged({ ...options, host: originAddress, port: origin, path: pathOf(load) }, load)
    : exchanged({ ...options, host: "127.0.0.1", port: proxy.port, path: `http://${place}${pathOf(load)}` }, load);
}

/** A request in a tunnel of its own. */
export async function tunnelled(origin: number, way: Way, load: Load): Promise<number> {
  const socket = await openWay(origin, way);
  const headers = { Host: `${originAddress}:${origin}`, Connection: "close" };
  return exchanged({ createConnection: () => socket, headers, path: pathOf(load) }, load);
}

function pathOf({ down, chunked = false }: Load): string {
  return `/${down}${chunked ? "?chunked" : ""}`;
}

/** A connection to the origin, through a tunnel where there is a proxy. */
export async function openWay(origin: number, { proxy }: Way): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const place = `${originAddress}:${origin}`;
  const socket =
    proxy === undefined ? connect(origin, originAddress, () => resolve(socket)) : connect(proxy.port, "127.0.0.1");
  socket.once("error", reject);
  if (proxy !== undefined) {
    socket.write(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n`);
    socket.once("data", (head: Buffer) => {
      if (/^HTTP\/1\.[01] 200 /.test(head.toString("latin1"))) resolve(socket);
      else reject(new Error(head.toString("latin1")));
    });
  }
  return promise.finally(() => socket.off("error", reject));
}

function exchanged(
  options: Omit<RequestOptions, "headers"> & { readonly headers: Readonly<Record<string, string>> },
  { up }: Load,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { ...options.headers, ...(up === undefined ? {} : { "Content-Length": up }) };
  const asked = ask({ ...options, headers, method: up === undefined ? "GET" : "POST" }, (answer: IncomingMessage) => {
    let count = 0;
    answer.on("data", (chunk: Buffer) => (count += chunk.length));
    answer.once("end", () => (answer.statusCode === 200 ? resolve(count) : reject(new Error(`${answer.statusCode}`))));
    answer.once("error", reject);
  });
  asked.once("error", reject);
  let left = up ?? 0;
  const more = (): void => {
    while (left > 0) {
      const piece = left < upload.length ? upload.subarray(0, left) : upload;
      left -= piece.length;
      if (asked.write(piece)) continue;
      asked.once("drain", more);
      return;
    }
    asked.end();
  };
  more();
  return promise;
}
