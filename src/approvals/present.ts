import type { AnswerKind, DetailPart, Question } from "../model/gate-ports.ts";
import type { QuestionId } from "../model/ids.ts";
import type { Intent } from "../model/intent.ts";
import { Problem } from "../model/problem.ts";
import type { RuleDraft } from "../model/rule.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { mapStrings } from "./map-strings.ts";
import type { OpenQuestion, RulesPlace } from "./open-question.ts";
import { detailParts } from "./question-detail.ts";
import { questionMarks } from "./question-marks.ts";
import { show } from "./show.ts";

const longestTitle = 500;
/** Characters of the detail, after everything was made visible. */
const longestDetail = 65_536;
/** Characters of the preview, after everything was made visible: it helps, and what it leaves out it says. */
const longestPreview = 32_768;
const mostFindings = 200;
/** Characters of all findings together, as JSON. */
const longestFindings = 524_288;
const longestFindingText = 4096;

/** The rules that an "always" of one direction writes. Where only allowing ones are proposed, their opposites deny. */
export function draftsFor(proposed: readonly RuleDraft[], effect: RuleDraft["effect"]): readonly RuleDraft[] {
  const drafts = proposed.filter((draft) => draft.effect === effect);
  if (drafts.length > 0 || effect === "allow") return drafts;
  return proposed.map((draft) => ({ ...draft, effect }));
}

/** What a question is presented with, beside what it is about. */
export interface Presentation {
  readonly id: QuestionId;
  readonly askedAt: Date;
  readonly deadline: Date;
  readonly redactor: Redactor;
  readonly places: readonly RulesPlace[];
}

/**
 * What people are shown of a question: secrets struck out first, then everything made visible.
 * @throws Problem `failed_precondition` where it is too large to be shown whole: nobody can answer for what he cannot see.
 */
export function present(question: Question, { id, askedAt, deadline, redactor, places }: Presentation): OpenQuestion {
  let suspicious = false;
  const safe = (text: string, lines = false): string => {
    const shown = show(redactor.redact(text), { lines });
    suspicious ||= shown.suspicious;
    return shown.text;
  };
  const { subject } = question;
  const parts = detailParts(question.intent);
  const raw = parts.reduce((sum, { text }) => sum + text.length, 0);
  if (raw > longestDetail) throw tooLarge(`its text has ${raw} characters, ${longestDetail} can be shown`);
  const lines = ({ label, text }: DetailPart): string => `${label}\n${safe(text, true).replaceAll(/^/gm, "| ")}`;
  const detail = parts.map(lines).join("\n");
  const preview = cutLines((question.preview ?? []).map(lines).join("\n"), longestPreview);
  if (detail.length > longestDetail)
    throw tooLarge(`its text has ${detail.length} characters, ${longestDetail} can be shown`);
  if (question.open.length > mostFindings)
    throw tooLarge(`it has ${question.open.length} open effects, ${mostFindings} can be shown`);
  const effects = JSON.stringify(question.open).length;
  if (effects > longestFindings)
    throw tooLarge(`its effects have ${effects} characters, ${longestFindings} can be shown`);
  const short = (text: string): string => cut(safe(text), longestFindingText);
  const findings = mapStrings(question.open, short);
  const allowDrafts = mapStrings(draftsFor(question.drafts, "allow"), safe);
  const denyDrafts = mapStrings(draftsFor(question.drafts, "deny"), safe);
  const editable = editableText(question.editable?.text ?? "", redactor);
  return {
    id,
    agent: subject.agent,
    session: subject.session,
    channel: subject.channel,
    title: cut(safe(question.title), longestTitle),
    detail,
    preview,
    findings,
    allowDrafts,
    denyDrafts,
    askedAt,
    deadline,
    suspicious,
    answers: answersFor({ allowDrafts, denyDrafts, editable }),
    waiting: 0,
    group: `${subject.session}:${groupOf(question.intent.kind)}`,
    marks: questionMarks(detail, findings),
    editable,
    places,
    waitsForCaller: false,
  };
}

/** What may be answered, the usual ones first. */
export function answersFor(
  question: Pick<OpenQuestion, "allowDrafts" | "denyDrafts" | "editable">,
): readonly AnswerKind[] {
  const byRule: readonly AnswerKind[] = ["always-allow", "allow-session", "allow-for"];
  return [
    "allow",
    ...(question.allowDrafts.length === 0 ? [] : byRule),
    "deny",
    ...(question.denyDrafts.length === 0 ? [] : (["always-deny"] as const)),
    ...(question.editable === "" ? [] : (["edit-and-allow"] as const)),
  ];
}

/** Empty where a secret stands in it: it would have to be shown, or would be lost. */
function editableText(text: string, redactor: Redactor): string {
  return redactor.redact(text) === text ? show(text, { lines: true }).text : "";
}

/** Requests that a person thinks of together. */
function groupOf(kind: Intent["kind"]): string {
  switch (kind) {
    case "exec":
    case "use":
      return kind;
    case "fetch":
    case "connect":
      return "network";
    default:
      return "files";
  }
}

function tooLarge(why: string): Problem {
  return new Problem("failed_precondition", `the request is too large to be put to a person: ${why}; split it`);
}

function cutLines(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf("\n", most);
  return `${text.slice(0, end === -1 ? most : end)}\nand more that is not shown here`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}
