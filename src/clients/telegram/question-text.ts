import type { Question, RuleDraft } from "../../gen/sallyport/v1/approvals_pb.ts";
import { VerdictSchema } from "../../gen/sallyport/v1/common_pb.ts";
import { hasHidden, visible, visibleLines } from "../text/visible.ts";
import { enumWord, findingLines } from "../text/words.ts";
import { mayEdit } from "./buttons.ts";
import { bold, cutAt, lengthOf, longestText, plain, pre, type Run } from "./rich-text.ts";

/** A question as messages. */
export interface QuestionText {
  /** In this order; buttons go under the last. Each fits into a message. */
  readonly pages: readonly (readonly Run[])[];
  /** The whole text for a file, where the pages do not show it; undefined: they do. */
  readonly whole: string | undefined;
}

/** Messages that one question may take. */
const mostPages = 4;
/** Room for "Part 1 of 4" and the line behind it. */
const partRoom = 32;
/** Units of the text that are shown where all of it does not fit. */
const shownOfLong = 1500;
/** Parts that need the answer, and units of each, that are named once more. */
const mostMarks = 8;
const longestMark = 160;

/** A question for people on a phone: whole in one message or a few, otherwise its beginning and how much is missing. */
export function questionText(question: Question): QuestionText {
  const detail = visibleLines(question.detail).join("\n");
  const frame = frameOf(question);
  const all = [...frame.head, ...section("The whole text", detail, "pre"), ...frame.foot];
  const pages = paged(all);
  if (pages.length <= mostPages) return { pages, whole: undefined };
  const end = cutAt(detail, shownOfLong);
  const left = detail.length - end;
  const short = [
    ...frame.head,
    ...section("The beginning of the text", detail.slice(0, end), "pre"),
    bold(`${left} more characters are not shown here. The whole is in the file above.`),
    plain(
      "\nIt can be denied here. To allow it, read it where it can be shown whole: on a terminal or the web page.\n",
    ),
    ...frame.foot,
  ];
  const whole = all.map(({ text }) => text).join("");
  // Rules and findings may be long, too: then the file alone has them.
  const fits = lengthOf(short) <= longestText ? short : short.slice(0, short.length - frame.foot.length);
  return { pages: [lengthOf(fits) <= longestText ? fits : shortest(question)], whole };
}

function shortest({ title }: Question): Run[] {
  const shown = visible(title);
  return [
    bold("Allow this?"),
    plain("\n"),
    pre(shown.slice(0, cutAt(shown, 500))),
    bold("\nThe whole is in the file above."),
  ];
}

function frameOf(question: Question): { readonly head: readonly Run[]; readonly foot: readonly Run[] } {
  const { title, findings, allowDrafts, denyDrafts, places } = question;
  const to = places.map(({ path }) => visible(path)).join(" or ");
  const drafts = (list: readonly RuleDraft[]): string =>
    list.length === 0 ? "" : [...list.map(draftLine), ...(to === "" ? [] : [`to ${to}`])].join("\n");
  return {
    head: [
      bold("Allow this?"),
      ...(looksTwisted(question) ? [bold("\nLOOK TWICE: hidden or misleading characters were made visible.")] : []),
      plain("\n"),
      pre(visible(title)),
      plain("\n"),
    ],
    foot: [
      ...section("What needs the answer", markLines(question).join("\n"), "pre"),
      ...section("Why it is asked", findings.flatMap(findingLines).map(visible).join("\n"), "pre"),
      ...section("Always allow would write", drafts(allowDrafts), "pre"),
      ...section("Always deny would write", drafts(denyDrafts), "pre"),
      ...section("Who asks", whoLine(question), "code"),
      ...standing(question),
    ],
  };
}

function standing(question: Question): Run[] {
  const { deadline, waiting, waitsForCaller } = question;
  return [
    plain(`Silence is a denial at ${deadlineWords(deadline)}.`),
    ...(waiting > 1 ? [plain(`\n${waiting} requests wait for this answer.`)] : []),
    ...(waitsForCaller ? [plain("\nAsked before a restart: whoever asked has to ask again to use the answer.")] : []),
    plain("\nReply to this message to deny with your words."),
    // In code, so that no client makes a link of it that sends it alone.
    ...(mayEdit(question)
      ? [plain(" Reply "), { text: "/edit", style: "code" } as const, plain(" and a command to put that in its place.")]
      : []),
  ];
}

/** A time as people read it. */
export function deadlineWords(deadline: string): string {
  const at = new Date(deadline);
  return Number.isNaN(at.getTime()) ? visible(deadline) : `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function section(heading: string, body: string, style: "code" | "pre"): Run[] {
  return body === "" ? [] : [bold(heading), plain("\n"), { text: body, style }, plain("\n")];
}

function markLines({ detail, marks }: Question): string[] {
  const shown = marks.slice(0, mostMarks).map(({ start, end }) => {
    const text = visible(detail.slice(start, end));
    return text.length <= longestMark ? text : `${text.slice(0, cutAt(text, longestMark))}…`;
  });
  return marks.length > mostMarks ? [...shown, `and ${marks.length - mostMarks} more parts of the text above`] : shown;
}

function draftLine({ effect, capability, match }: RuleDraft): string {
  return `${enumWord(VerdictSchema, effect)} ${visible(capability)} ${visible(JSON.stringify(match))}`;
}

/** Who asks. */
export function whoLine({ agent, sessionId, channel }: Question): string {
  return `agent ${visible(agent)}, session ${visible(sessionId)}, channel ${visible(channel)}`;
}

/** True where characters mislead. The server marks what it changed; what it missed is marked here. */
export function looksTwisted(question: Question): boolean {
  return question.suspicious || hasHidden(question.title) || hasHidden(question.detail) || hasHidden(question.agent);
}

/** Runs over as many messages as they need, each with its number where there are several. */
function paged(runs: readonly Run[]): Run[][] {
  if (lengthOf(runs) <= longestText) return [[...runs]];
  const room = longestText - partRoom;
  const pages: Run[][] = [];
  let page: Run[] = [];
  let left = room;
  for (const { text, style } of runs) {
    for (let rest = text; rest !== "";) {
      // Headings stay whole; a text is cut where the page ends.
      const end = rest.length <= left ? rest.length : style === "pre" || style === "code" ? cutAt(rest, left) : 0;
      if (end > 0) page.push({ text: rest.slice(0, end), style });
      rest = rest.slice(end);
      left -= end;
      if (rest === "") break;
      pages.push(page);
      page = [];
      left = room;
    }
  }
  pages.push(page);
  return pages.map((part, at) => [bold(`Part ${at + 1} of ${pages.length}`), plain("\n"), ...part]);
}
