import { isIP } from "node:net";
import { domainToUnicode } from "node:url";
import { parseAddress, type Address } from "./address.ts";
import { EgressProblem } from "./egress-problem.ts";

/** A canonical host. `text` is lower-case ASCII without a trailing dot, or an address without brackets. */
export type Host =
  | { readonly kind: "name"; readonly text: string }
  | { readonly kind: "address"; readonly text: string; readonly address: Address };

const printable = /^[\x21-\x7e]+$/;
const nameCharacters = /^[a-z0-9._-]+$/i;
/** What the URL parser leaves as it is: labels in lower case, none of them Punycode, and a last one that is no number since it begins with a letter. */
const plain = /^(?:(?!xn--)[a-z0-9_-]+\.)*(?!xn--)[a-z][a-z0-9_-]*$/;
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The one parser for hosts, at every entrance: the URL's host, the CONNECT authority, a configured name. WHATWG host rules make spelled
 * out addresses (`0x7f.1`, `2130706433`, `127.1`) canonical; one trailing dot is dropped; labels and lengths follow RFC 1035.
 *
 * Takes ASCII only: names with other characters come through a URL, whose parser turns them into `xn--` labels first.
 * @throws EgressProblem `bad_host`
 */
export function parseHost(text: string): Host {
  if (text.length > 260 || !printable.test(text)) throw bad(text, "it must be 1 to 253 printable ASCII characters");
  if (text.startsWith("[")) return literal(text, text.endsWith("]") ? text.slice(1, -1) : "", 6);
  if (text.includes(":")) return literal(text, text, 6);
  if (!nameCharacters.test(text)) throw bad(text, "it holds a character that no host name has");
  const parsed = plain.test(text) || isIP(text) === 4 ? text : canonical(text);
  const address = parseAddress(parsed);
  if (address !== undefined) return { kind: "address", text: address.text, address };
  const name = parsed.endsWith(".") ? parsed.slice(0, -1) : parsed;
  if (name.length > 253) throw bad(text, "it is longer than 253 characters");
  if (!name.split(".").every((part) => label.test(part))) throw bad(text, "a label is empty, too long or malformed");
  if (!name.split(".").every(isDecodable)) throw bad(text, "an xn-- label is no valid Punycode");
  return { kind: "name", text: name };
}

/** The URL parser lets some xn-- labels pass that mean nothing; decoding leaves those as they are (RFC 5891, section 5.4). */
function isDecodable(part: string): boolean {
  if (!part.startsWith("xn--")) return true;
  const decoded = domainToUnicode(part);
  return decoded !== "" && decoded !== part;
}

function literal(text: string, inner: string, family: 4 | 6): Host {
  const address = parseAddress(inner);
  if (address?.family !== family) throw bad(text, "it is no IPv6 address (zone ids are refused)");
  return { kind: "address", text: address.text, address };
}

/** WHATWG host parsing, section 3.5. */
function canonical(text: string): string {
  const url = URL.parse(`http://${text}/`);
  if (url === null || url.hostname === "") throw bad(text, "it is no valid host");
  return url.hostname;
}

function bad(text: string, why: string): EgressProblem {
  return new EgressProblem("bad_host", `host ${JSON.stringify(text.slice(0, 100))}: ${why}`, { field: "host" });
}
