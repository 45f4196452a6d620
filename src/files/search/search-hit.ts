import type { AbsolutePath } from "../../model/absolute-path.ts";

/** A part of a line in bytes: the first, and the one behind the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Something that a search found. */
export interface SearchHit {
  readonly path: AbsolutePath;
  /** From 1; 0 for a hit on the name. */
  readonly line: number;
  /** Where the line begins in the file. */
  readonly offset: number;
  /** The line without its end, cut at {@link maxTextBytes}. */
  readonly text: Uint8Array;
  readonly cut: boolean;
  readonly spans: readonly Span[];
  /** True for a line near a hit. */
  readonly context: boolean;
}

/** Why a search ended. */
export type SearchEnd = "complete" | "limit" | "time" | "size";

/** Bytes of a line that are shown. */
export const maxTextBytes = 4096;
/** Matches in one line that are marked. */
const maxSpans = 64;

/** A hit on a line; `bytes` holds the whole line. */
export function lineHit(
  path: AbsolutePath,
  { bytes, ...place }: { bytes: Buffer; line: number; offset: number; context: boolean; spans: readonly Span[] },
): SearchHit {
  const end = bytes.at(-1) === 10 ? (bytes.at(-2) === 13 ? 2 : 1) : 0;
  const text = bytes.subarray(0, bytes.length - end);
  const shown = text.subarray(0, maxTextBytes);
  const spans = place.spans
    .slice(0, maxSpans)
    .map((span) => ({ start: Math.min(span.start, shown.length), end: Math.min(span.end, shown.length) }))
    .filter((span, at) => span.end > span.start || place.spans[at]?.start === span.start);
  return { ...place, path, text: shown, cut: shown.length < text.length, spans };
}

/** A hit on a name. */
export function nameHit(path: AbsolutePath): SearchHit {
  return { path, line: 0, offset: 0, text: new Uint8Array(), cut: false, spans: [], context: false };
}
