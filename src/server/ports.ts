import type { AbsolutePath } from "../model/absolute-path.ts";
import type {
  Action,
  ActionOf,
  FetchAction,
  ListAction,
  ReadAction,
  StatAction,
  WriteAction,
} from "../model/action.ts";
import type { Denial, Decision, Finding, Settlement } from "../model/decision.ts";
import type { AnswerKind } from "../model/gate-ports.ts";
import type { AgentId, EntryId, QuestionId, SessionId } from "../model/ids.ts";
import type { FetchIntent, Intent } from "../model/intent.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Permit } from "../model/permit.ts";
import type { Rule, RuleDraft, Source } from "../model/rule.ts";
import type { Sandbox } from "../model/runtime.ts";
import type { Scope } from "../model/scope.ts";
import type { Session } from "../model/session.ts";
import type { Caller, Channel, Mode, Subject, Tier } from "../model/subject.ts";

/** A result that may be there at once: the caller awaits it either way. */
export type Awaitable<T> = T | Promise<T>;

/** Everything that the handlers reach the other rooms by. */
export interface Ports {
  readonly tokens: Tokens;
  readonly gate: Gate;
  readonly sessions: Sessions;
  readonly sandboxes: Sandboxes;
  readonly files: Files;
  readonly fetcher: Fetcher;
  readonly approvals: Approvals;
  readonly audit: AuditLog;
  readonly policy: PolicyDesk;
  readonly agents: Agents;
}

/** Proves bearer tokens. */
export interface Tokens {
  /** Whose token it is; undefined for one that is unknown or revoked. */
  authenticate(token: string): Awaitable<{ readonly agent: AgentId; readonly tier: Tier } | undefined>;
}

/** A request that may act: its permit, and the audit entry that waits for the outcome. */
export interface Admission<A extends Action> {
  readonly entry: EntryId;
  readonly permit: Permit<A>;
  /** Records the outcome. The first call counts, later ones are ignored. */
  end(outcome: Outcome): void;
}

/** The only door between asking and acting. */
export interface Gate {
  /** @throws Problem `permission_denied` with a denial, `aborted`, `cancelled`, `unavailable`, `invalid_argument`. */
  admit<I extends Intent>(subject: Subject, intent: I, signal: AbortSignal): Promise<Admission<ActionOf<I>>>;
}

/** What a new session is to be. */
export interface SessionDraft {
  /** Undefined: the folder that the server was started for. */
  readonly workspace: AbsolutePath | undefined;
  readonly key: string;
  readonly mode: Mode;
  readonly attended: boolean;
  readonly image: string | undefined;
  /** Further folders, without the workspace. */
  readonly scopes: readonly Scope[];
  readonly channel: Channel;
}

/** What is to become different in a session. */
export interface SessionChange {
  /** Undefined keeps it. */
  readonly mode: Mode | undefined;
  readonly addScopes: readonly Scope[];
  readonly removeScopes: readonly AbsolutePath[];
}

/** Who is here. Every method throws `not_found` for a session that is not there, is another agent's (an admin's caller sees all) or belongs to another channel. */
export interface Sessions {
  /** The caller's session in the server's own workspace with the key `default`, opened where there is none. */
  ofCaller(caller: Caller): Awaitable<Session>;
  /** @throws Problem `not_found`. */
  get(caller: Caller, id: SessionId): Awaitable<Session>;
  /** Finds the caller's own session with that workspace, channel and key, or opens one. @throws Problem `permission_denied` for what needs an admin. */
  open(caller: Caller, draft: SessionDraft): Awaitable<{ readonly session: Session; readonly existing: boolean }>;
  /** @throws Problem `permission_denied` where it widens and the caller is no admin. */
  update(caller: Caller, id: SessionId, change: SessionChange): Awaitable<Session>;
  /** Ends the session, its commands and its sandbox; resolves when they are gone. */
  close(caller: Caller, id: SessionId): Awaitable<void>;
  /** The caller's own, for an admin all; the last used first. */
  list(caller: Caller): Awaitable<readonly Session[]>;
}

/** Warm containers. */
export interface Sandboxes {
  /** The session's sandbox, started where there is none. @throws Problem `failed_precondition`, `not_found` (image), `unavailable`. */
  acquire(session: Session, signal: AbortSignal): Promise<Sandbox>;
}

/** What is known of one path. */
export interface FileInfo {
  /** The last component in a list, the whole path elsewhere; with replacement characters where it is not UTF-8. */
  readonly name: string;
  /** The name's bytes, only where they are not UTF-8. */
  readonly rawName?: Uint8Array;
  readonly kind: "file" | "folder" | "symlink" | "other";
  readonly size: number;
  /** Permission bits without the type. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** RFC 3339 in UTC with nanoseconds. */
  readonly modifiedAt: string;
}

/** An open file. `chunks` is read to the end, or `close` is called. */
export interface FileReading {
  readonly info: FileInfo;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** True where the cap ended it before the file's end; known once `chunks` ended. */
  readonly truncated: boolean;
  readonly close: () => Promise<void>;
}

/** Race-safe file work. All throw Problem `not_found`, `already_exists`, `failed_precondition`, `permission_denied`, `resource_exhausted`. */
export interface Files {
  read(permit: Permit<ReadAction>, signal: AbortSignal): Promise<FileReading>;
  /** Nothing is there before `chunks` ended without throwing. */
  write(
    permit: Permit<WriteAction>,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<{ readonly info: FileInfo; readonly bytes: number }>;
  stat(permit: Permit<StatAction>): Promise<FileInfo>;
  /** Sorted by name. */
  list(permit: Permit<ListAction>): Promise<{ readonly entries: readonly FileInfo[]; readonly truncated: boolean }>;
}

/** The answer to a fetch. `body` is read to its end, or `close` is called. */
export interface FetchResult {
  readonly status: number;
  /** As received, in order. */
  readonly headers: readonly (readonly [string, string])[];
  readonly finalUrl: string;
  /** All requests, the last one included. */
  readonly hops: readonly { readonly url: string; readonly address: string; readonly status: number }[];
  /** Decoded bytes. */
  readonly body: AsyncIterable<Uint8Array>;
  /** True where the cap ended the body; known once the body ended. */
  readonly truncated: boolean;
  close(): Promise<void>;
}

/** Asks the gate for leave to follow a redirect. @throws Problem where it is refused. */
export type NextHop = (hop: FetchIntent) => Promise<Permit<FetchAction>>;

/** Fetches URLs. */
export interface Fetcher {
  /** Fetches what the permit names, each redirect with a permit of its own. @throws Problem. */
  fetch(permit: Permit<FetchAction>, next: NextHop, signal: AbortSignal): Promise<FetchResult>;
}

/** A question that waits for a person. Its texts are made safe to show. */
export interface OpenQuestion {
  readonly id: QuestionId;
  readonly agent: AgentId;
  readonly session: SessionId;
  readonly channel: Channel;
  readonly title: string;
  readonly detail: string;
  readonly findings: readonly Finding[];
  readonly allowDrafts: readonly RuleDraft[];
  readonly denyDrafts: readonly RuleDraft[];
  readonly askedAt: Date;
  readonly deadline: Date;
  readonly suspicious: boolean;
}

/** A change in the set of open questions. */
export type QuestionEvent =
  | { readonly kind: "opened"; readonly question: OpenQuestion }
  | {
      readonly kind: "closed";
      readonly id: QuestionId;
      /** Undefined where it was withdrawn. */
      readonly answer: AnswerKind | undefined;
      readonly by: string;
    };

/** The queue of questions. Who may see and answer what is decided here in the server. */
export interface Approvals {
  /** The open ones first, then every change, until the signal aborts. */
  watch(signal: AbortSignal): AsyncIterable<QuestionEvent>;
  list(): Awaitable<readonly OpenQuestion[]>;
  /** Answers once; returns the rules that were written. @throws Problem `not_found`, `failed_precondition` where somebody else was first. */
  answer(id: QuestionId, answer: AnswerKind, by: Caller, message: string): Awaitable<readonly Rule[]>;
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
  /** Records with a `seq` above `from` (0: all), then new ones as they come, until the signal aborts. */
  follow(from: number, signal: AbortSignal): AsyncIterable<AuditRecord>;
  verify(): Awaitable<{
    readonly ok: boolean;
    readonly records: number;
    readonly firstBad?: number;
    readonly reason?: string;
  }>;
}

/** What the gate would do with an intent. */
export interface Verdicts {
  readonly decision: Decision;
  readonly settlement: Settlement;
  /** Where it would be refused. */
  readonly denial: Denial | undefined;
}

/** A rule that is to be kept; its id and origin are given by the keeper. */
export type NewRule = Pick<Rule, "capability" | "match" | "exclude" | "effect" | "because"> & {
  readonly source: "user" | "session";
};

/** Judging without acting, and the rules. */
export interface PolicyDesk {
  check(session: Session, intent: Intent): Awaitable<Verdicts>;
  /** Lines for a person. */
  explain(session: Session, intent: Intent): Awaitable<{ readonly text: string; readonly settlement: Settlement }>;
  /** The rules that hold for the session, in the order of their sources. */
  list(session: Session): Awaitable<readonly Rule[]>;
  /** @throws Problem `invalid_argument` for a pattern that cannot be a rule. */
  add(session: Session, rule: NewRule): Awaitable<Rule>;
  /** @throws Problem `not_found`, `failed_precondition` for a source that is not kept here. */
  remove(session: Session, source: Source, id: string): Awaitable<void>;
}

/** An agent with tokens. */
export interface AgentFacts {
  readonly name: AgentId;
  readonly tier: Tier;
  readonly createdAt: Date;
  readonly tokens: number;
}

/** The agents. */
export interface Agents {
  /** Sorted by name. */
  list(): Awaitable<readonly AgentFacts[]>;
  /** The token in clear, this once. `tier` undefined: read-only for a new agent, unchanged for a known one. */
  createToken(agent: AgentId, tier: Tier | undefined): Awaitable<string>;
  /** How many tokens no longer count. @throws Problem `not_found`. */
  revokeTokens(agent: AgentId): Awaitable<number>;
  /** @throws Problem `not_found`. */
  usage(agent: AgentId): Awaitable<{
    readonly requests: number;
    readonly refused: number;
    readonly commands: number;
    readonly bytes: number;
  }>;
}
