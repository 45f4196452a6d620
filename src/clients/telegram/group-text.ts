import { AnswerKind, type Question, type QuestionClosed } from "../../gen/sallyport/v1/approvals_pb.ts";
import { visible, visibleLines } from "../text/visible.ts";
import { findingLines } from "../text/words.ts";
import { closedWords } from "./end-text.ts";
import { deadlineWords, looksTwisted, whoLine } from "./question-text.ts";
import { cutAt, lengthOf, longestText, richText, type RichText, type Run } from "./rich-text.ts";

/** Fewer are shown one by one. */
const fewest = 3;
/** Units of a title and of a text that are shown whole in a list. */
const longestTitle = 480;
const longestDetail = 600;
const longestWhy = 160;

/** Whether a question may stand in a list: all of it is short, nothing in it misleads, and it can be allowed and denied. */
export function mayList(question: Question): boolean {
  return (
    question.group !== "" &&
    !question.waitsForCaller &&
    !looksTwisted(question) &&
    visible(question.title).length < longestTitle &&
    detailOf(question).length <= longestDetail &&
    [AnswerKind.ALLOW, AnswerKind.DENY].every((answer) => question.answers.includes(answer))
  );
}

/** As many of these as one message shows, from the first on; undefined where they are too few for a list. */
export function listable(questions: readonly Question[]): readonly Question[] | undefined {
  let count = questions.length;
  while (count >= fewest && lengthOf(groupRuns(questions.slice(0, count), new Map())) > longestText) count -= 1;
  return count < fewest ? undefined : questions.slice(0, count);
}

/** A list of questions of which each is whole, with how those ended that are over. */
export function groupText(questions: readonly Question[], ended: ReadonlyMap<string, QuestionClosed>): RichText {
  const runs = groupRuns(questions, ended);
  return richText(lengthOf(runs) <= longestText ? runs : [headOf(questions, ended), ...footOf(questions)]);
}

/** What a list says once none of it is to be answered in it any more. */
export function groupEnd(questions: readonly Question[], words: string, ended: Group = new Map()): RichText {
  const lines = questions.flatMap((question): Run[] => {
    const title = visible(question.title);
    const closed = ended.get(question.id);
    return [
      { text: title.slice(0, cutAt(title, longestWhy)), style: "pre" },
      { text: closed === undefined ? "\n" : `\n${closedWords(closed).slice(0, longestWhy)}\n`, style: "plain" },
    ];
  });
  const head: Run = { text: `${words}\n`, style: "bold" };
  return richText(lengthOf([head, ...lines]) <= longestText ? [head, ...lines] : [head]);
}

type Group = ReadonlyMap<string, QuestionClosed>;

function groupRuns(questions: readonly Question[], ended: Group): readonly Run[] {
  return [
    headOf(questions, ended),
    ...questions.flatMap((question, at) => itemOf(question, at, ended.get(question.id))),
    ...footOf(questions),
  ];
}

function headOf(questions: readonly Question[], ended: Group): Run {
  return { text: `Allow these ${questions.filter(({ id }) => !ended.has(id)).length}?\n`, style: "bold" };
}

function itemOf(question: Question, at: number, closed: QuestionClosed | undefined): readonly Run[] {
  const title: Run = { text: visible(question.title), style: "pre" };
  if (closed !== undefined)
    return [
      { text: `${at + 1}. ${closedWords(closed).slice(0, longestWhy)}\n`, style: "bold" },
      title,
      { text: "\n", style: "plain" },
    ];
  const [first = "", ...more] = question.findings.flatMap(findingLines);
  const why = `${visible(first).slice(0, longestWhy)}${more.length === 0 ? "" : ` and ${more.length} more`}`;
  return [
    { text: `${at + 1}.\n`, style: "bold" },
    title,
    { text: "\n", style: "plain" },
    { text: detailOf(question), style: "pre" },
    { text: "\n", style: "plain" },
    ...(first === "" ? [] : [{ text: why, style: "code" } as const, { text: "\n", style: "plain" } as const]),
  ];
}

function footOf(questions: readonly Question[]): readonly Run[] {
  const [first] = questions;
  if (first === undefined) return [];
  const deadline = questions.map((question) => question.deadline).toSorted()[0] ?? "";
  return [
    { text: whoLine(first), style: "code" },
    {
      text: `\nSilence is a denial from ${deadlineWords(deadline)} on.\nOne answer counts for all that are open here. One by one shows the other answers and all reasons.`,
      style: "plain",
    },
  ];
}

function detailOf({ detail }: Question): string {
  return visibleLines(detail).join("\n");
}
