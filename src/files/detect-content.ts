import { isAscii } from "node:buffer";

/** What a file's first bytes say of it. */
export interface Content {
  readonly kind: "text" | "binary";
  /** As file(1) names it: `us-ascii`, `utf-8`, `utf-16le`, `utf-16be`, `utf-32le`, `utf-32be`, `unknown-8bit`, `binary`. */
  readonly encoding: string;
}

/** Bytes that are looked at. */
export const sampleBytes = 8192;

/** Byte order marks, those first that begin like others. */
const marks: readonly (readonly [string, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-32le", [0xff, 0xfe, 0, 0]],
  ["utf-32be", [0, 0, 0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** Control characters that stand in texts, a bit each: BEL, BS, HT, LF, VT, FF, CR and ESC. */
const textControls = [7, 8, 9, 10, 11, 12, 13, 27].reduce((bits, code) => bits | (1 << code), 0);

/** Tells text from anything else, the way file(1) does: by a mark, by control characters, and by whether it is UTF-8. */
export function detectContent(sample: Uint8Array): Content {
  const marked = marks.find(([, mark]) => mark.every((byte, at) => sample[at] === byte));
  if (marked !== undefined) return { kind: "text", encoding: marked[0] };
  if (holdsControl(sample)) return { kind: "binary", encoding: "binary" };
  if (isAscii(sample)) return { kind: "text", encoding: "us-ascii" };
  return { kind: "text", encoding: isUtf8(sample) ? "utf-8" : "unknown-8bit" };
}

/** A plain loop: this is done for every file that is read, and a function for each byte takes ten times as long. */
function holdsControl(sample: Uint8Array): boolean {
  for (const byte of sample) if (byte < 0x20 ? ((textControls >>> byte) & 1) === 0 : byte === 0x7f) return true;
  return false;
}

/** A character that the end of a full sample cuts is none that is wrong. */
function isUtf8(sample: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(sample, { stream: sample.length === sampleBytes });
    return true;
  } catch {
    return false;
  }
}
