import type { IncomingMessage } from "node:http";
import { EgressProblem } from "../egress-problem.ts";
import { fieldsOf, isChunked, isHopByHop, isToken, itemsOf, valuesOf, type Field } from "../field.ts";

const maxFields = 256;

/** How the body of a request is framed. */
export type Framing = { readonly kind: "none" | "chunked" } | { readonly kind: "length"; readonly value: string };

/**
 * Checks that a request can be read in one way only, before anything is sent on (RFC 9112, section 6).
 * @throws EgressProblem `bad_framing` or `headers_too_large`
 */
export function framingOf(request: IncomingMessage): Framing {
  const fields = fieldsOf(request.rawHeaders);
  if (fields.length > maxFields) throw new EgressProblem("bad_framing", `more than ${maxFields} headers`);
  // Node's parser takes 0.9 and 2.0 as well, whose messages are framed otherwise.
  if (!/^1\.[01]$/.test(request.httpVersion)) throw bad("a version other than HTTP/1.0 and HTTP/1.1");
  // Node keeps the first of several Host headers and says nothing; a missing one it refuses in HTTP/1.1.
  if (valuesOf(fields, "host").length > 1) throw bad("more than one Host header");
  const codings = valuesOf(fields, "transfer-encoding");
  const lengths = valuesOf(fields, "content-length");
  if (codings.length + lengths.length > 1) throw bad("more than one of Content-Length and Transfer-Encoding");
  if (codings[0] !== undefined) {
    if (!isChunked(codings[0])) throw bad("Transfer-Encoding other than chunked");
    if (request.httpVersion !== "1.1") throw bad("Transfer-Encoding in HTTP/1.0");
    return { kind: "chunked" };
  }
  if (lengths[0] === undefined) return { kind: "none" };
  if (!/^\d{1,15}$/.test(lengths[0])) throw bad("Content-Length is no number");
  return { kind: "length", value: lengths[0] };
}

/** Fields that say on whose behalf or by which way a request came, or what its address was on that way: the sandbox has no say in that. */
const provenance: ReadonlySet<string> = new Set([
  "via",
  "forwarded",
  "x-real-ip",
  "true-client-ip",
  "x-client-ip",
  "x-original-url",
  "x-rewrite-url",
]);
/** Framing and target are written anew, never stripped because `Connection` names them. */
const rewritten: ReadonlySet<string> = new Set(["host", "content-length", "expect"]);
/** Our own answers carry it, so an origin's must not. */
export const reasonHeader = "X-Sallyport-Reason";

/** The end-to-end fields of a message: without hop-by-hop ones, those that `Connection` names, and those that say whence it came. */
export function endToEnd(raw: readonly string[], direction: "request" | "response"): readonly Field[] {
  const fields = fieldsOf(raw);
  const named = new Set(valuesOf(fields, "connection").flatMap(itemsOf));
  return fields.filter(([name]) => {
    // Servers that hand fields on as variables read `Transfer_Encoding` as `Transfer-Encoding`.
    const lower = name.toLowerCase().replaceAll("_", "-");
    if (!isToken(name) || isHopByHop(lower) || lower === reasonHeader.toLowerCase()) return false;
    if (direction === "response") return lower === "content-length" || !named.has(name.toLowerCase());
    return (
      !named.has(name.toLowerCase()) &&
      !rewritten.has(lower) &&
      !provenance.has(lower) &&
      !lower.startsWith("x-forwarded-")
    );
  });
}

function bad(why: string): EgressProblem {
  return new EgressProblem("bad_framing", why);
}
