import { invalid } from "../../model/problem.ts";

/** Longest text in bytes of UTF-8 where a field says nothing else (proto/sallyport/v1/common.proto). */
export const maxTextBytes = 4096;

/** Checks a text that may be empty: well-formed, without NUL, bounded. @throws Problem `invalid_argument`. */
export function decodeText(field: string, text: string, maxBytes: number = maxTextBytes): string {
  // One UTF-16 unit takes three bytes at most, so short texts need no counting.
  if (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes)
    throw invalid(field, `longer than ${maxBytes} bytes`);
  if (text.includes("\0")) throw invalid(field, "holds a NUL character");
  // Cannot come out of valid UTF-8, but can out of JSON.
  if (!text.isWellFormed()) throw invalid(field, "holds half of a surrogate pair");
  return text;
}

/** The same for a text that must not be empty. */
export function decodeName(field: string, text: string, maxBytes: number = maxTextBytes): string {
  if (text === "") throw invalid(field, "must be set");
  return decodeText(field, text, maxBytes);
}
