import type { Finding } from "../model/decision.ts";
import type { AnswerKind } from "../model/gate-ports.ts";
import type { AgentId, QuestionId, SessionId } from "../model/ids.ts";
import type { RuleDraft } from "../model/rule.ts";
import type { Channel } from "../model/subject.ts";

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

/** A change in the set of open questions. */
export type QuestionEvent =
  | { readonly kind: "opened"; readonly question: OpenQuestion }
  | ({ readonly kind: "closed"; readonly id: QuestionId } & Closing);
