import type { Socket } from "node:net";
import { EgressProblem } from "./egress-problem.ts";
import { isChunked, valuesOf, type Field } from "./field.ts";

/** What is known of an answer by its status lines. */
export interface StatusLines {
  /** Of the final answer; undefined before it came. */
  readonly version: "1.0" | "1.1" | undefined;
}

/** Interim answers such as 103 that are let by before the final one; they would keep a connection alive for ever. */
const maxInterim = 16;
/** Bytes of one status line or interim answer. */
const maxBytes = 16_384;
/** Of HTTP 0.9, 2.0, RTSP and ICE, which HTTP parsers take as well, messages are framed otherwise or nobody knows how. What the words after the status say is of no interest. */
const statusLine = /^HTTP\/(1\.[01]) ([1-5]\d\d)(?: |$)/;

/**
 * Looks at the status lines of the one answer that comes on a socket, interim ones included, as they came: parsers do not tell them, or take more than HTTP/1.0 and HTTP/1.1 (RFC 9112, section 4).
 * `refuse` is called at most once, and before whoever listens on already has seen the bytes. The socket must be read by somebody; after the final status line nothing is looked at any more.
 */
export function watchStatusLines(socket: Socket, refuse: (problem: EgressProblem) => void): StatusLines {
  const found: { version: StatusLines["version"] } = { version: undefined };
  let held = "";
  let interim = 0;
  let blanks = 0;
  const stop = (why?: string): void => {
    socket.off("data", onData);
    if (why !== undefined) refuse(new EgressProblem("protocol_error", `the server's answer is refused: ${why}`));
  };
  const onData = (chunk: Buffer): void => {
    held += chunk.toString("latin1");
    for (;;) {
      // Some servers send the end of an earlier body again; parsers skip it (RFC 9112, section 2.2).
      const blank = /^[\r\n]*/.exec(held)?.[0].length ?? 0;
      held = held.slice(blank);
      blanks += blank;
      if (blanks > maxBytes) return stop("it begins with too many blank lines");
      const end = held.indexOf("\r\n");
      const line = statusLine.exec(end < 0 ? held.slice(0, maxBytes) : held.slice(0, end));
      if (end > maxBytes || (end < 0 && held.length > maxBytes)) return stop("its status line is too long");
      if (end < 0) return;
      if (line === null) return stop("its status line is none of HTTP/1.0 or HTTP/1.1");
      if (!/^1(?!01)/.test(line[2] ?? "")) {
        found.version = line[1] === "1.0" ? "1.0" : "1.1";
        return stop();
      }
      interim += 1;
      if (interim > maxInterim) return stop("too many interim answers");
      const over = held.indexOf("\r\n\r\n", end);
      if (over < 0) return held.length > maxBytes ? stop("an interim answer is too long") : undefined;
      held = held.slice(over + 4);
    }
  };
  socket.prependListener("data", onData);
  return found;
}

/** Why the transfer coding that an answer names cannot be read in one way only (RFC 9112, section 6.1); undefined where nothing is wrong. */
export function objectionToCoding(fields: readonly Field[], version: string | undefined): string | undefined {
  const codings = valuesOf(fields, "transfer-encoding");
  if (codings.length > 1) return "it names its transfer encoding more than once";
  if (codings[0] === undefined) return undefined;
  if (!isChunked(codings[0])) return "its transfer encoding is unknown";
  return version === "1.1" ? undefined : "a transfer encoding means nothing in HTTP/1.0";
}
