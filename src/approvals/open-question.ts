import type { Finding } from "../model/decision.ts";
import type { AnswerKind, Reply, RulesFile } from "../model/gate-ports.ts";
import type { AgentId, QuestionId, SessionId } from "../model/ids.ts";
import type { Rule, RuleDraft } from "../model/rule.ts";
import type { Caller, Channel } from "../model/subject.ts";

/** A question that waits for a person. Its texts have lost their secrets and are safe to show on any surface. */
export interface OpenQuestion {
  readonly id: QuestionId;
  readonly agent: AgentId;
  readonly session: SessionId;
  readonly channel: Channel;
  /** One line that says what will happen; cut where it is very long. */
  readonly title: string;
  /** Everything that will happen, whole, in several lines: a label, then the text with `| ` before each of its lines. */
  readonly detail: string;
  /** What would change, in the form of `detail`, cut where it is long; for those who may answer, because the caller may not read all of it. Empty where nobody looked. */
  readonly preview: string;
  /** Those that need the answer. */
  readonly findings: readonly Finding[];
  /** The rules that `always-allow` would write; empty: there is none. */
  readonly allowDrafts: readonly RuleDraft[];
  readonly denyDrafts: readonly RuleDraft[];
  readonly askedAt: Date;
  /** When silence becomes a denial. */
  readonly deadline: Date;
  /** True where a character had to be made visible: look twice. */
  readonly suspicious: boolean;
  /** What may be answered, the usual ones first. */
  readonly answers: readonly AnswerKind[];
  /** Requests that wait for this answer. */
  readonly waiting: number;
  /** Equal for questions that belong together: the same session and kind of request. */
  readonly group: string;
  /** The parts of `detail` that need the answer, in order, never overlapping. */
  readonly marks: readonly TextSpan[];
  /** The command that `edit-and-allow` may change, made visible so that it can be read back (`unshow`); for those who may answer. Empty: it cannot be edited. */
  readonly editable: string;
  /** Where an "always" may write; the first is the usual one. */
  readonly places: readonly RulesPlace[];
  /** True where it was asked before a restart: an answer is kept until whoever asked asks again. */
  readonly waitsForCaller: boolean;
}

/** A part of a text, in UTF-16 units; `end` is the first one after it. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A file that an "always" may write to. */
export interface RulesPlace {
  readonly file: RulesFile;
  readonly path: string;
}

/** What an edited text would do, safe to show like a question. */
export interface EditLook extends Pick<OpenQuestion, "title" | "detail" | "findings" | "marks" | "suspicious"> {
  /** Stands for all that it would do: an answer with it counts only while that is the same. */
  readonly plan: string;
}

/** An answer that counted. */
export interface Answered {
  /** The rules that were written, or that stood there already. */
  readonly rules: readonly Rule[];
  /** Further questions that the answer was for and did not count for. */
  readonly notCounted: readonly { readonly id: QuestionId; readonly reason: string }[];
}

/** An answer as it goes into the record. */
export interface RecordedAnswer {
  readonly question: OpenQuestion;
  readonly reply: Reply;
  /** What runs in its place. */
  readonly edited: string | undefined;
  readonly caller: Caller;
  readonly rules: readonly Rule[];
}

/** How a question ended. */
export interface Closing {
  /** Undefined where it was withdrawn or lost. */
  readonly answer: AnswerKind | undefined;
  /** Who answered, or what closed it, in words. */
  readonly by: string;
}

/** A question that was open once. */
export interface ClosedQuestion extends Closing {
  readonly id: QuestionId;
  readonly agent: string;
  readonly session: string;
  readonly title: string;
  readonly askedAt: Date;
  readonly closedAt: Date;
}

/** A change in the set of open questions. `opened` comes again where who waits for the question changed. */
export type QuestionEvent =
  | { readonly kind: "opened"; readonly question: OpenQuestion }
  | ({ readonly kind: "closed"; readonly id: QuestionId } & Closing);
