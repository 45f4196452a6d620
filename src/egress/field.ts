/** A header field: name and value. */
export type Field = readonly [name: string, value: string];

/** Fields that speak of one connection only (RFC 9110, section 7.6.1), or of the way through a proxy. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

/** True for a hop-by-hop field and for the `Proxy-` family. Takes any case. */
export function isHopByHop(name: string): boolean {
  const lower = name.toLowerCase();
  return hopByHop.has(lower) || lower.startsWith("proxy-");
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// Visible characters, blank, tab and obs-text; never CR, LF, NUL or another control character.
const value = /^[\t\x20-\x7e\x80-\xff]*$/;

/** True for a token (RFC 9110, section 5.6.2): a method or a field name. */
export function isToken(text: string): boolean {
  return token.test(text);
}

/** True for a field value (RFC 9110, section 5.5). */
export function isFieldValue(text: string): boolean {
  return value.test(text);
}

/** A list in a field's value: items apart by commas, in lower case, without the blanks and tabs around them (RFC 9110, section 5.6.1), and no other character: some take a no-break space for part of a name. */
export function itemsOf(value: string): readonly string[] {
  return value.split(",").map((item) => item.replaceAll(/^[\t ]+|[\t ]+$/g, "").toLowerCase());
}

/** True for a Transfer-Encoding of `chunked` and nothing else. */
export function isChunked(value: string): boolean {
  return itemsOf(value).join(",") === "chunked";
}

/** Pairs up a flat list of names and values, as HTTP parsers give it. Bytes above 0x7f stay Latin-1. */
export function fieldsOf(raw: unknown): readonly Field[] {
  if (!Array.isArray(raw)) return [];
  const texts = raw.map((item: unknown) =>
    item instanceof Uint8Array ? Buffer.from(item).toString("latin1") : String(item),
  );
  const fields: Field[] = [];
  for (let at = 0; at + 1 < texts.length; at += 2) fields.push([texts[at] ?? "", texts[at + 1] ?? ""]);
  return fields;
}

/** All values of a field. */
export function valuesOf(fields: readonly Field[], name: string): readonly string[] {
  return fields.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value);
}
