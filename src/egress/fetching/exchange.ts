import { Client, errors, type buildConnector } from "undici";
import { Problem } from "../../model/problem.ts";
import { dial, startTls } from "../dial.ts";
import { authorityOf, EgressProblem } from "../egress-problem.ts";
import { fieldsOf, type Field } from "../field.ts";
import type { PinnedTarget } from "../guard.ts";
import { objectionToCoding, type StatusLines, watchStatusLines } from "../status-lines.ts";
import type { TargetUrl } from "../target-url.ts";
import type { Deadline } from "../deadline.ts";
import type { UpstreamProxy } from "../upstream-proxy.ts";

/** One request to one judged target. */
export interface Exchange {
  readonly target: PinnedTarget;
  readonly url: TargetUrl;
  /** Path and query as they are sent; undefined: the URL's. */
  readonly path?: string;
  readonly method: string;
  readonly headers: readonly Field[];
  readonly body: Uint8Array | undefined;
}

/** What came back, its body not yet read. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly Field[];
  /** Address and port that were connected to. */
  readonly address: string;
  readonly timings: ExchangeTimings;
  /** Encoded bytes as they come. */
  readonly wire: AsyncIterable<Uint8Array>;
  /** Closes the connection. Safe to call more than once. */
  close(): Promise<void>;
}

/** How long the steps of an exchange took, in milliseconds with fractions. */
export interface ExchangeTimings {
  /** Until the connection stood, that to an upstream proxy and its tunnel included. */
  readonly connectMs: number;
  /** Until TLS stood; 0 for http. */
  readonly tlsMs: number;
  /** From then until the answer's header was there. */
  readonly firstByteMs: number;
}

/** How one exchange connects. */
export interface ExchangeOptions {
  readonly connectTimeoutMs: number;
  /** Certificates that are trusted; undefined: those that come with Node. */
  readonly ca: readonly string[] | undefined;
  readonly upstream: UpstreamProxy | undefined;
  /** Milliseconds until the answer's header must be there, once the request was sent. */
  readonly headerTimeoutMs: number;
  /** Milliseconds without a byte of the body. */
  readonly idleTimeoutMs: number;
}

const maxHeaderBytes = 16_384;
const maxFields = 256;

/** Bytes on the wire for each byte of a body, past these, that are taken: a chunk for each byte, each in a TLS record of its own, stays below. What is read ahead is, too. */
const framingRatio = 64;
const framingFloor = 1 << 20;

/**
 * Milliseconds until a connection is closed whose answer came whole and was not read. Whoever reads it to its end closes the connection: the server is not asked to, because undici would then close it
 * with an error made for the purpose, whose stack costs more than all the checks of a request.
 */
const idleMs = 1000;

/** What undici is told when an exchange is closed. Made once: each error that undici makes of its own costs a stack. */
const over = new Error("the exchange is over");

/**
 * Sends one request on a connection of its own and waits for the header. No pool: a pooled connection would be used again without anybody
 * judging its address, and could carry an answer to the next request.
 * @throws EgressProblem
 */
export async function exchange(request: Exchange, deadline: Deadline, options: ExchangeOptions): Promise<Answer> {
  const { url, target } = request;
  const { signal } = deadline;
  let address = "";
  let wireBytes = () => 0;
  let lines: StatusLines | undefined;
  const begun = performance.now();
  let [connected, secured] = [begun, begun];
  const connect = async () => {
    const { upstream, connectTimeoutMs: timeoutMs } = options;
    const { socket, address: reached } = await dial(target, { signal, timeoutMs, upstream });
    address = authorityOf(reached, url.port);
    wireBytes = () => socket.bytesRead;
    connected = performance.now();
    secured = connected;
    if (url.scheme === "http") return socket;
    const secure = await startTls(socket, url.host, { signal, timeoutMs, ca: options.ca });
    secured = performance.now();
    return secure;
  };
  const connectInto = async (callback: buildConnector.Callback) => {
    try {
      const socket = await connect();
      callback(null, socket);
      lines = watchStatusLines(socket, deadline.abort);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
    }
  };
  const client = new Client(url.origin, {
    allowH2: false,
    maxHeaderSize: maxHeaderBytes,
    // The deadline covers all; these two end what stands still before.
    headersTimeout: options.headerTimeoutMs,
    bodyTimeout: options.idleTimeoutMs,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    connect: (_options, callback) => void connectInto(callback),
  });
  const close = () => client.destroy(over).catch(() => undefined);
  try {
    const response = await client.request({
      path: request.path ?? url.path,
      method: request.method,
      headers: request.headers.flat(),
      body: request.body ?? null,
      signal,
      responseHeaders: "raw",
    });
    const headers = checked(fieldsOf(response.headers), lines?.version);
    if (response.statusCode < 200 || response.statusCode > 599)
      throw new EgressProblem("protocol_error", `status ${response.statusCode} means nothing`);
    return {
      status: response.statusCode,
      headers,
      address,
      timings: {
        connectMs: connected - begun,
        tlsMs: secured - connected,
        firstByteMs: performance.now() - secured,
      },
      wire: mapped(response.body, wireBytes, signal),
      close,
    };
  } catch (error) {
    await close();
    throw problemOf(error, signal);
  }
}

/** Cookies are never stored, so a flood of them is cut; a flood of anything else is refused, and so is framing that could be read twice. */
function checked(fields: readonly Field[], version: StatusLines["version"]): readonly Field[] {
  const coding = objectionToCoding(fields, version);
  if (coding !== undefined) throw new EgressProblem("protocol_error", `the server's answer is refused: ${coding}`);
  let cookies = 0;
  const kept = fields.filter(([name]) => name.toLowerCase() !== "set-cookie" || ++cookies <= 50);
  if (kept.length > maxFields) throw new EgressProblem("headers_too_large", `more than ${maxFields} response headers`);
  return kept;
}

/** The body with its failures named, and refused where it is lost in its framing: nobody else bounds the extensions of chunks (RFC 9112, section 7.1.1). */
async function* mapped(
  body: AsyncIterable<Uint8Array>,
  wireBytes: () => number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const before = wireBytes();
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (wireBytes() - before > framingFloor + framingRatio * bytes)
        throw new EgressProblem("protocol_error", "the server sends far more framing than body");
      yield chunk;
    }
  } catch (error) {
    throw problemOf(error, signal);
  }
}

function problemOf(error: unknown, signal: AbortSignal): Problem {
  if (error instanceof Problem) return error;
  if (signal.aborted && signal.reason instanceof Problem) return signal.reason;
  if (error instanceof errors.HeadersOverflowError)
    return new EgressProblem("headers_too_large", `the response header is larger than ${maxHeaderBytes} bytes`);
  if (error instanceof errors.HeadersTimeoutError)
    return new EgressProblem("deadline", "the server gave no answer in time", { cause: error });
  if (error instanceof errors.BodyTimeoutError)
    return new EgressProblem("deadline", "the server stopped in the middle of its answer", { cause: error });
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  return new EgressProblem("protocol_error", `the server broke the protocol or the connection (${code})`, {
    cause: error,
  });
}
