import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatch } from "diff";
import { differingPart, type DifferingPart } from "./differing-part.ts";

/** Lines that still take part in the search for the shortest difference, and edits that it looks for: together some tenths of a second. */
const mostLines = 200_000;
const mostSteps = 10_000_000;
const mostEdits = 2000;

/** A difference, cut where it is very long. */
export interface BoundedDiff {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * The unified diff of two texts of one file, with three lines of context; where the shortest is costly to find, one block from the first line that differs to the last.
 * Empty where they are equal. Cut after a whole line, so that it has `maxBytes` bytes of UTF-8 at most.
 */
export function unifiedDiff(path: string, before: string, after: string, maxBytes: number): BoundedDiff {
  if (before === after) return { text: "", truncated: false };
  const part = differingPart(before, after);
  const patch = shortest(path, part);
  return cut(patch === undefined ? oneBlock(path, part) : [formatPatch(patch, FILE_HEADERS_ONLY)], maxBytes);
}

function shortest(path: string, { line, old, now }: DifferingPart): StructuredPatch | undefined {
  const lines = countLines(old) + countLines(now);
  if (lines > mostLines) return undefined;
  const maxEditLength = Math.min(mostEdits, Math.ceil(mostSteps / lines));
  const patch = structuredPatch(path, path, old, now, undefined, undefined, { context: 3, maxEditLength });
  const shift = (hunk: StructuredPatch["hunks"][number]) => ({
    ...hunk,
    oldStart: hunk.oldStart + line,
    newStart: hunk.newStart + line,
  });
  return patch && { ...patch, hunks: patch.hunks.map(shift) };
}

function* oneBlock(path: string, { line, old, now }: DifferingPart): Generator<string> {
  yield formatPatch({ ...nameless, oldFileName: path, newFileName: path }, FILE_HEADERS_ONLY);
  const range = (text: string): string => `${text === "" ? line : line + 1},${countLines(text)}`;
  yield `@@ -${range(old)} +${range(now)} @@\n`;
  for (const each of linesOf(old)) yield `-${each}`;
  for (const each of linesOf(now)) yield `+${each}`;
}

const nameless: StructuredPatch = {
  oldFileName: undefined,
  newFileName: undefined,
  oldHeader: undefined,
  newHeader: undefined,
  hunks: [],
};

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at) + 1;
    yield end === 0 ? `${text.slice(at)}\n\\ No newline at end of file\n` : text.slice(at, end);
    at = end === 0 ? text.length : end;
  }
}

function countLines(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function cut(parts: Iterable<string>, maxBytes: number): BoundedDiff {
  const kept: string[] = [];
  let bytes = 0;
  for (const part of parts)
    for (const line of part.split(/(?<=\n)/)) {
      bytes += Buffer.byteLength(line);
      if (bytes > maxBytes) return { text: kept.join(""), truncated: true };
      kept.push(line);
    }
  return { text: kept.join(""), truncated: false };
}
