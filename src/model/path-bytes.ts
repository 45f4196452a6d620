// A path of bytes that are not UTF-8 is a text like any other: each byte that belongs to no character stands as the lone surrogate U+DC00 + byte
// (PEP 383). Requests cannot bring such characters in texts, so they come from bytes alone, and the way back is exact.

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const escapes = 0xdc00;

/** The text that stands for these bytes; {@link bytesOfPath} gives them back. */
export function pathOfBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return decodeByHand(bytes);
  }
}

/** The bytes that a path or a name stands for. @throws RangeError for surrogates that stand for no byte */
export function bytesOfPath(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  const bytes: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0xd800 || point > 0xdfff) bytes.push(...encoder.encode(character));
    else if (isEscape(point)) bytes.push(point - escapes);
    else throw new RangeError("half of a surrogate pair stands for no byte");
  }
  return Uint8Array.from(bytes);
}

/** True for the surrogates that stand for a byte. */
export function isEscape(point: number): boolean {
  return point >= 0xdc80 && point <= 0xdcff;
}

function decodeByHand(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at);
    text +=
      length === 0 ? String.fromCharCode(escapes + (bytes[at] ?? 0)) : decoder.decode(bytes.subarray(at, at + length));
    at += Math.max(1, length);
  }
  return text;
}

/** Bytes of the character that begins here; 0 where none does (Unicode, table 3-7: no overlong forms, no surrogates). */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0) return 0;
  const second = bytes[at + 1] ?? 0;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let next = at + 2; next < at + length; next += 1) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
