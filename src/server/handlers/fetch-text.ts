import type { FetchResult } from "../ports/acting.ts";
import type { Ports } from "../ports.ts";
import { type FetchHeader, type FetchPart, sizeOf } from "./fetch-parts.ts";

/** The header and the body as text, once all of it was read. */
export async function* textParts(
  { pages }: Pick<Ports, "pages">,
  result: FetchResult,
  header: FetchHeader,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<FetchPart> {
  const chunks: Uint8Array[] = [];
  for await (const data of result.body) chunks.push(data);
  const type = result.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const { text, mediaType } = await pages.read(Buffer.concat(chunks), type, result.finalUrl, signal);
  yield { kind: "header", header: { ...header, textType: mediaType }, size: sizeOf(result) + mediaType.length };
  const bytes = Buffer.from(text);
  const fitting = wholeCharacters(bytes, maxBytes);
  for (let at = 0; at < fitting; at += partBytes)
    yield { kind: "data", data: bytes.subarray(at, Math.min(at + partBytes, fitting)) };
  if (fitting < bytes.length) yield { kind: "cut" };
}

const partBytes = 262_144;

/** As many bytes of UTF-8 as fit without cutting a character (RFC 3629, section 3). */
function wholeCharacters(bytes: Uint8Array, most: number): number {
  if (bytes.length <= most) return bytes.length;
  let end = most;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
