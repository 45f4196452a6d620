import type { Question, RuleDraft } from "../../gen/sallyport/v1/approvals_pb.ts";
import { VerdictSchema } from "../../gen/sallyport/v1/common_pb.ts";
import { formatDuration } from "../text/duration.ts";
import type { Palette } from "../text/palette.ts";
import { hasHidden, visible, visibleLines } from "../text/visible.ts";
import { enumWord, findingLines } from "../text/words.ts";
import { wrap } from "../text/wrap.ts";

/** What a question is drawn with. */
export interface Drawing {
  readonly paint: Palette;
  /** Size of the terminal in cells. */
  readonly columns: number;
  readonly rows: number;
  readonly now: Date;
  /** Questions that wait behind this one. */
  readonly behind: number;
}

/** Rows that the choice itself takes. */
const choiceRows = 8;

/**
 * A question as lines for a terminal. The text of the request comes first and whole; what does not scroll away, next to the choice, is ours: what "always" would
 * write, the deadline, the marks. Every line carries the same bar, so that no text can pass for a part of the frame.
 */
export function questionLines(question: Question, drawing: Drawing): string[] {
  const { paint, columns, rows, behind } = drawing;
  const bar = paint.dim("│");
  const body = (line: string, style = (text: string): string => text): string[] =>
    wrap(line, columns - 4).map((piece, index) => `${bar} ${index === 0 ? "" : "  "}${style(piece)}`);
  const section = (heading: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [bar, `${bar} ${paint.dim(heading)}`, ...lines.flatMap((line) => body(`  ${line}`))];
  const more = behind === 0 ? "" : ` (${behind} more waiting)`;
  const lines = [
    "",
    `${paint.dim("┌")} ${paint.bold("Allow this?")}${more}`,
    bar,
    ...body(visible(question.title), paint.bold),
    ...(question.detail === ""
      ? []
      : [bar, `${bar} ${paint.dim("The whole text")}`, ...detailLines(question, bar, drawing)]),
    ...section("Who asks", [who(question)]),
    ...section("Why it is asked", question.findings.flatMap(findingLines).map(visible)),
    ...section("Always allow would write", withPlace(question.allowDrafts.map(draftLine), question)),
    ...section("Always deny would write", withPlace(question.denyDrafts.map(draftLine), question)),
    ...section("Silence is a denial", [deadlineLine(question.deadline, drawing.now)]),
    ...(looksTwisted(question)
      ? [bar, `${bar} ${paint.alarm(" LOOK TWICE: hidden or misleading characters were made visible ")}`]
      : []),
  ];
  if (lines.length + choiceRows <= rows) return lines;
  // What it is about has scrolled away: say it once more, and that there is more to read.
  const above = paint.yellow(`${lines.length} lines: scroll up to read them all`);
  return [...lines, bar, ...body(visible(question.title), paint.bold), `${bar} ${above}`];
}

function who({ agent, sessionId, channel, waiting, waitsForCaller }: Question): string {
  const asked = `agent ${visible(agent)}, session ${visible(sessionId)}, channel ${visible(channel)}`;
  const many = waiting > 1 ? `; ${waiting} requests wait for this answer` : "";
  return `${asked}${many}${waitsForCaller ? "; asked before a restart: the answer is kept until it is asked again" : ""}`;
}

/** The detail, with the parts marked that need the answer. */
function detailLines({ detail, marks }: Question, bar: string, { paint, columns }: Drawing): readonly string[] {
  let start = 0;
  return detail.split("\n").flatMap((line) => {
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
}

function markedText(
  piece: string,
  offset: number,
  spans: readonly { readonly start: number; readonly end: number }[],
  mark: (text: string) => string,
): string {
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

/** The rules, and the file that they would go to. */
function withPlace(lines: readonly string[], { places }: Question): readonly string[] {
  const [place] = places;
  return lines.length === 0 || place === undefined ? lines : [...lines, `to ${visible(place.path)}`];
}

function draftLine({ effect, capability, match }: RuleDraft): string {
  return `${enumWord(VerdictSchema, effect)} ${visible(capability)} ${visible(JSON.stringify(match))}`;
}

function deadlineLine(deadline: string, now: Date): string {
  const at = new Date(deadline);
  if (Number.isNaN(at.getTime())) return visible(deadline);
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
  return `at ${clock}, in ${formatDuration(at.getTime() - now.getTime())}`;
}

// The server marks what it changed; what it missed is marked here.
function looksTwisted(question: Question): boolean {
  return question.suspicious || hasHidden(question.title) || hasHidden(question.detail) || hasHidden(question.agent);
}
