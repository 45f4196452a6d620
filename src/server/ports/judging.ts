import type { Decision, Denial, Settlement } from "../../model/decision.ts";
import type { Intent } from "../../model/intent.ts";
import type { Rule, Source } from "../../model/rule.ts";
import type { Session } from "../../model/session.ts";
import type { Caller } from "../../model/subject.ts";
import type { Awaitable } from "./awaitable.ts";

/** What the gate would do with an intent. */
export interface Verdicts {
  readonly decision: Decision;
  readonly settlement: Settlement;
  /** Where it would be refused. */
  readonly denial: Denial | undefined;
}

/** A rule that is to be kept; its id and origin are given by the keeper. */
export type NewRule = Pick<Rule, "capability" | "match" | "exclude" | "methods" | "effect" | "because"> & {
  readonly source: "user" | "workspace" | "session";
};

/** What is wrong with a file that rules come from. */
export interface RuleFault {
  readonly file: string;
  /** From 1; 0: the whole file is meant. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Judging without acting, and the rules. */
export interface PolicyDesk {
  check(session: Session, intent: Intent): Awaitable<Verdicts>;
  /** Lines for a person. */
  explain(session: Session, intent: Intent): Awaitable<{ readonly text: string; readonly settlement: Settlement }>;
  /** The rules that hold for the session, in the order of their sources. */
  list(session: Session): Awaitable<readonly Rule[]>;
  /** What is wrong with rule files now; the rules that were good before still hold. */
  faults(): Awaitable<readonly RuleFault[]>;
  /** @throws Problem `invalid_argument` for a pattern that cannot be a rule. */
  add(session: Session, rule: NewRule, by: Caller): Awaitable<Rule>;
  /** @throws Problem `not_found`, `failed_precondition` for a source that is not kept here. */
  remove(session: Session, source: Source, id: string, by: Caller): Awaitable<void>;
}

/** What a record is about. */
export type RecordKind = "opened" | "refused" | "closed" | "abandoned" | "answered" | "note";

/** One record of the chain. */
export interface AuditRecord {
  /** From 1, without gaps. */
  readonly seq: number;
  /** RFC 3339 in UTC with milliseconds. */
  readonly at: string;
  readonly entry: string;
  readonly kind: RecordKind;
  readonly agent: string;
  readonly session: string;
  /** JSON, secrets struck out. */
  readonly body: string;
  readonly hash: string;
}

/** Which records; an absent field is no limit. */
export interface AuditFilter {
  readonly agent?: string;
  readonly session?: string;
  readonly entry?: string;
  readonly kind?: RecordKind;
  /** Inclusive. */
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
}

/** Reads the record. */
export interface AuditLog {
  /** One page, the newest first. `cursor` is the decimal sequence number that its records lie below; `next` is that of the following page. */
  query(filter: AuditFilter & { readonly limit: number; readonly cursor?: string }): Awaitable<{
    readonly records: readonly AuditRecord[];
    readonly next: string | undefined;
  }>;
  /** Records with a `seq` above `after` (undefined: from the next one on), then new ones as they come, until the signal aborts. */
  follow(filter: AuditFilter, after: number | undefined, signal: AbortSignal): AsyncIterable<AuditRecord>;
  /** Rejects where the signal aborts. */
  verify(signal: AbortSignal): Awaitable<{
    readonly ok: boolean;
    readonly records: number;
    readonly firstBad?: number;
    readonly reason?: string;
  }>;
}
