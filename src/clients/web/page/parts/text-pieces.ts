import { visible } from "../../../text/visible.ts";

/** A piece of a line as it is drawn. */
export interface TextPiece {
  /**
   * `escape`: a character that was made visible. `break`: a line end or a tab that was. `blanks`: so many blanks that what follows them might be missed.
   * `foreign`: beyond ASCII, which may look like something else.
   */
  readonly kind: "plain" | "escape" | "break" | "blanks" | "foreign";
  readonly text: string;
  /** True where it needs the answer. */
  readonly marked: boolean;
}

/** A part of a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

// The escapes are those of the server and those of `visible`.
const special = /\\u\{[0-9a-f]{1,6}\}| {17,}|[^ -~]+/g;

/** Cuts a line that begins at `start` into pieces. What the server did not make visible is made visible here. */
export function textPieces(line: string, start: number, marks: readonly Span[]): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  const put = (kind: TextPiece["kind"], from: number, to: number): void => {
    for (const { start: at, end, marked } of split(from, to, start, marks)) {
      const text = line.slice(at, end);
      const shown = kind === "blanks" ? `${text.length} blanks` : visible(text);
      // What had to be made visible only here is no less an escape than what the server made visible.
      pieces.push({ kind: kind === "foreign" && shown !== text ? "escape" : kind, text: shown, marked });
    }
  };
  let done = 0;
  for (const { index, 0: found } of line.matchAll(special)) {
    if (index > done) put("plain", done, index);
    put(kindOf(found), index, index + found.length);
    done = index + found.length;
  }
  if (done < line.length) put("plain", done, line.length);
  return pieces;
}

function kindOf(found: string): TextPiece["kind"] {
  if (found.startsWith(" ")) return "blanks";
  if (/^\\u\{[9a]\}$/.test(found)) return "break";
  return found.startsWith("\\") ? "escape" : "foreign";
}

/** Splits a range of the line where a mark begins or ends. */
function split(
  from: number,
  to: number,
  start: number,
  marks: readonly Span[],
): readonly (Span & { readonly marked: boolean })[] {
  const ranges: (Span & { marked: boolean })[] = [];
  let at = from;
  for (const mark of marks) {
    const begin = Math.max(at, mark.start - start);
    const end = Math.min(to, mark.end - start);
    if (end <= begin) continue;
    if (begin > at) ranges.push({ start: at, end: begin, marked: false });
    ranges.push({ start: begin, end, marked: true });
    at = end;
  }
  if (at < to) ranges.push({ start: at, end: to, marked: false });
  return ranges;
}
