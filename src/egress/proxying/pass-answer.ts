import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Field, fieldsOf, isFieldValue, valuesOf } from "../field.ts";
import type { Credential } from "../intercepting/credential.ts";
import { maskEchoes } from "../intercepting/mask-echoes.ts";
import { checkedAnswer } from "./checked-answer.ts";
import { copyBody } from "./copy-body.ts";
import { endToEnd } from "./framing.ts";

/** Trailer fields of one answer that are passed on at most. */
const maxTrailers = 64;

/** Fields that mean something before the body only, or to whoever frames and routes a message (RFC 9110, section 6.5.1). */
const noTrailer =
  /^(?:content-.*|host|set-cookie2?|authorization|www-authenticate|authentication-info|location|refresh|retry-after|cache-control|expires|vary|age|date|range|if-.*|max-forwards|te|expect)$/;

/**
 * Passes interim answers on (RFC 9110, section 15.2): that work goes on, of early hints their links, which is all that clients heed, and leave to send the body once to
 * one that `waits` for it; another may take it for the end of the answer. None to clients of HTTP/1.0, which know none.
 */
export function passInterim(
  upstream: ClientRequest,
  response: ServerResponse,
  waits: boolean,
  own: readonly Credential[],
): void {
  if (response.req.httpVersion !== "1.1") return;
  upstream.once("continue", () => {
    if (waits && !response.headersSent) response.writeContinue();
  });
  upstream.on("information", ({ statusCode, rawHeaders }) => {
    if (response.headersSent) return;
    if (statusCode === 102) response.writeProcessing();
    if (statusCode === 103) passHints(response, valuesOf(maskEchoes(fieldsOf(rawHeaders), own), "link"));
  });
}

function passHints(response: ServerResponse, link: readonly string[]): void {
  try {
    response.writeEarlyHints({ link: [...link] });
  } catch {
    // Hints that are not well written are nothing that a client would miss.
  }
}

/** Writes an answer anew: head, body, and what its trailer says about the body. Returns its status. @throws EgressProblem for an answer that cannot be passed on */
export async function passAnswer(
  answer: IncomingMessage,
  response: ServerResponse,
  socket: Socket,
  own: readonly Credential[],
): Promise<number> {
  const { status, phrase, fields } = checkedAnswer(answer, own);
  response.writeHead(status, phrase, fields.flat());
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  const onClose = () => reject(new Error("the client went away"));
  response.once("close", onClose).once("finish", () => {
    response.off("close", onClose);
    resolve();
  });
  // The client may go while the server stands still.
  await Promise.race([done, copyBody(answer, response, socket)]);
  const trailers = maskEchoes(trailersOf(answer.rawTrailers), own);
  // Where the answer has a length, there is no room for them, and they are left out.
  if (trailers.length > 0) response.addTrailers(trailers.map(([name, value]): [string, string] => [name, value]));
  response.end();
  await done;
  return status;
}

function trailersOf(raw: readonly string[]): readonly Field[] {
  return endToEnd(raw, "response")
    .filter(([name, value]) => isFieldValue(value) && !noTrailer.test(name.toLowerCase().replaceAll("_", "-")))
    .slice(0, maxTrailers);
}
