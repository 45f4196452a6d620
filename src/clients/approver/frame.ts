import type { TextSpan } from "../../gen/sallyport/v1/approvals_pb.ts";
import type { Palette } from "../text/palette.ts";
import { visible, visibleLines } from "../text/visible.ts";
import { wrap } from "../text/wrap.ts";

/** What is drawn on. */
export interface Sheet {
  readonly paint: Palette;
  /** Size of the terminal in cells. */
  readonly columns: number;
  readonly rows: number;
}

/** The lines of a frame. Every one carries the same bar, so that no text can pass for a part of it. */
export interface Frame {
  readonly bar: string;
  /** One line of text, wrapped. It must be visible already. */
  readonly body: (line: string, style?: (text: string) => string) => string[];
  /** Lines below a heading; none where there are no lines. */
  readonly section: (heading: string, lines: readonly string[]) => string[];
  /** A whole text below a heading, with the parts marked that need an answer. */
  readonly text: (heading: string, text: { readonly detail: string; readonly marks: readonly Span[] }) => string[];
  /** Says that characters were made visible. */
  readonly twisted: (is: boolean) => string[];
  /** Where what was drawn scrolls away: what it is about once more, and that there is more to read. */
  readonly again: (drawn: number, title: string) => string[];
}

type Span = Pick<TextSpan, "start" | "end">;

/** Rows that the choice itself takes. */
const choiceRows = 8;

/** Makes them for a terminal. */
export function frameOf({ paint, columns, rows }: Sheet): Frame {
  const bar = paint.dim("│");
  const body = (line: string, style = (text: string): string => text): string[] =>
    wrap(line, columns - 4).map((piece, index) => `${bar} ${index === 0 ? "" : "  "}${style(piece)}`);
  const headed = (heading: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [bar, `${bar} ${paint.dim(heading)}`, ...lines];
  return {
    bar,
    body,
    section: (heading, lines) =>
      headed(
        heading,
        lines.flatMap((line) => body(`  ${line}`)),
      ),
    text(heading, { detail, marks }) {
      if (detail === "") return [];
      let start = 0;
      const lines = detail.split("\n").flatMap((line) => {
        const from = start;
        start += line.length + 1;
        const [shown = ""] = visibleLines(line);
        // Where the line had to change, the places are others.
        const spans = shown === line ? marks.map((mark) => ({ start: mark.start - from, end: mark.end - from })) : [];
        let at = 0;
        return wrap(shown, columns - 6).map((piece, index) => {
          const styled = markedText(piece, at, spans, paint.mark);
          at += piece.length;
          return `${bar}   ${index === 0 ? "" : "  "}${styled}`;
        });
      });
      return headed(heading, lines);
    },
    twisted: (is) =>
      is ? [bar, `${bar} ${paint.alarm(" LOOK TWICE: hidden or misleading characters were made visible ")}`] : [],
    again(drawn, title) {
      if (drawn + choiceRows <= rows) return [];
      return [
        bar,
        ...body(visible(title), paint.bold),
        `${bar} ${paint.yellow(`${drawn} lines: scroll up to read them all`)}`,
      ];
    },
  };
}

function markedText(piece: string, offset: number, spans: readonly Span[], mark: (text: string) => string): string {
  let result = "";
  let at = 0;
  for (const { start, end } of spans) {
    const from = Math.max(at, start - offset);
    const to = Math.min(piece.length, end - offset);
    if (to <= from) continue;
    result += piece.slice(at, from) + mark(piece.slice(from, to));
    at = to;
  }
  return result + piece.slice(at);
}
