import type { LineText } from "../config/parse-case.ts";

/** Longest line that is kept in bytes; what is behind it is dropped, and the line refused by whoever reads it. */
const maxBytes = 33_554_432;
const lineFeed = 0x0a;

/**
 * The lines of a stream of bytes, for JSON Lines: only a line feed ends one, for JSON may hold every other line break (RFC 8259, 7). A byte order mark at the start is
 * left out. The last line needs no end. Undefined where the bytes of a line are no UTF-8.
 */
export async function* readLines(input: AsyncIterable<unknown>): AsyncGenerator<LineText> {
  let parts: Buffer[] = [];
  let held = 0;
  const keep = (part: Buffer): void => {
    if (held <= maxBytes) parts.push(part);
    held += part.length;
  };
  const take = (): LineText => {
    const line = decode(Buffer.concat(parts).subarray(0, maxBytes), held <= maxBytes);
    parts = [];
    held = 0;
    return line;
  };
  let isFirst = true;
  for await (const chunk of input) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, from)) {
      keep(bytes.subarray(from, end));
      from = end + 1;
      yield isFirst ? withoutMark(take()) : take();
      isFirst = false;
    }
    keep(bytes.subarray(from));
  }
  if (held > 0) yield isFirst ? withoutMark(take()) : take();
}

/** A line that was cut is too long whatever it says, so its last character may be half. */
function decode(bytes: Uint8Array, whole: boolean): LineText {
  try {
    return new TextDecoder("utf-8", { fatal: whole, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function withoutMark(line: LineText): LineText {
  return line?.startsWith("\ufeff") === true ? line.slice(1) : line;
}
