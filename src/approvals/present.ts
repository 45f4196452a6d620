import type { DetailPart, Question } from "../model/gate-ports.ts";
import type { QuestionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import type { RuleDraft } from "../model/rule.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { mapStrings } from "./map-strings.ts";
import type { OpenQuestion } from "./open-question.ts";
import { detailParts } from "./question-detail.ts";
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
export function draftsFor(question: Question, effect: RuleDraft["effect"]): readonly RuleDraft[] {
  const drafts = question.drafts.filter((draft) => draft.effect === effect);
  if (drafts.length > 0 || effect === "allow") return drafts;
  return question.drafts.map((draft) => ({ ...draft, effect }));
}

/**
 * What people are shown of a question: secrets struck out first, then everything made visible.
 * @throws Problem `failed_precondition` where it is too large to be shown whole: nobody can answer for what he cannot see.
 */
export function present(
  question: Question,
  id: QuestionId,
  askedAt: Date,
  deadline: Date,
  redactor: Redactor,
): OpenQuestion {
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
  return {
    id,
    agent: subject.agent,
    session: subject.session,
    channel: subject.channel,
    title: cut(safe(question.title), longestTitle),
    detail,
    preview,
    findings: mapStrings(question.open, short),
    allowDrafts: mapStrings(draftsFor(question, "allow"), safe),
    denyDrafts: mapStrings(draftsFor(question, "deny"), safe),
    askedAt,
    deadline,
    suspicious,
  };
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
