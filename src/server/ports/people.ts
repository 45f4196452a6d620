import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Finding } from "../../model/decision.ts";
import type { AnswerKind, Reply, RulesFile } from "../../model/gate-ports.ts";
import type { AgentId, QuestionId, SessionId } from "../../model/ids.ts";
import type { Rule, RuleDraft } from "../../model/rule.ts";
import type { Scope } from "../../model/scope.ts";
import type { Session } from "../../model/session.ts";
import type { Caller, Channel, Mode, Tier } from "../../model/subject.ts";
import type { Awaitable } from "./awaitable.ts";

/** Proves bearer tokens. */
export interface Tokens {
  /** Whose token it is; undefined for one that is unknown or revoked. */
  authenticate(token: string): Awaitable<{ readonly agent: AgentId; readonly tier: Tier } | undefined>;
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

/** Whose sessions where have a folder always. */
export interface StandingPlace {
  readonly agent: AgentId;
  readonly workspace: AbsolutePath;
  readonly root: AbsolutePath;
}

/** A folder that every session of an agent in a workspace has. */
export interface StandingScope extends Omit<StandingPlace, "root"> {
  readonly scope: Scope;
  readonly grantedAt: Date;
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
  /** Folders that are granted always, sorted. @throws Problem `permission_denied` where the caller is no admin. */
  standing(caller: Caller): Awaitable<readonly StandingScope[]>;
  /** Takes one back. @throws Problem `permission_denied` where the caller is no admin, `not_found`. */
  revokeStanding(caller: Caller, place: StandingPlace): Awaitable<void>;
}

/** A question that waits for a person. Its texts are made safe to show. */
export interface OpenQuestion {
  readonly id: QuestionId;
  readonly agent: AgentId;
  readonly session: SessionId;
  readonly channel: Channel;
  readonly title: string;
  readonly detail: string;
  /** What would change, for those who may answer only; empty where nobody looked. */
  readonly preview?: string;
  readonly findings: readonly Finding[];
  readonly allowDrafts: readonly RuleDraft[];
  readonly denyDrafts: readonly RuleDraft[];
  readonly askedAt: Date;
  readonly deadline: Date;
  readonly suspicious: boolean;
  readonly answers: readonly AnswerKind[];
  /** Requests that wait for this answer. */
  readonly waiting: number;
  readonly group: string;
  /** Parts of `detail`, in UTF-16 units. */
  readonly marks: readonly { readonly start: number; readonly end: number }[];
  /** For those who may answer only; empty: it cannot be edited. */
  readonly editable: string;
  readonly places: readonly { readonly file: RulesFile; readonly path: string }[];
  readonly waitsForCaller: boolean;
}

/** What an edited text would do, safe to show. */
export interface EditLook extends Pick<OpenQuestion, "title" | "detail" | "findings" | "marks" | "suspicious"> {
  /** Stands for all that it would do. */
  readonly plan: string;
}

/** An answer that counted. */
export interface Answered {
  readonly rules: readonly Rule[];
  readonly notCounted: readonly { readonly id: QuestionId; readonly reason: string }[];
}

/** A broader rule that could stand for several that were kept by answers. */
export interface Proposal {
  readonly draft: RuleDraft;
  readonly replaces: readonly Rule[];
  /** What else it would have allowed in the recorded past, in words; the first of `total`. */
  readonly wouldHaveAllowed: readonly string[];
  readonly total: number;
}

/** A change in the set of open questions. `opened` comes again where who waits for the question changed. */
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
  /**
   * Answers once, and `also` further questions of the same group.
   * @throws Problem `not_found`, `failed_precondition` where somebody else was first or the edited text is refused, `invalid_argument`.
   */
  answer(id: QuestionId, reply: Reply, by: Caller, also: readonly QuestionId[]): Awaitable<Answered>;
  /** What an edited text would do; answers nothing. @throws Problem as `answer` does. */
  tryEdit(id: QuestionId, edited: string, by: Caller): Awaitable<EditLook>;
  /** Broader rules for what was answered several times; the one that stands for the most answers first. */
  proposals(signal: AbortSignal): Awaitable<readonly Proposal[]>;
}

/** An agent with tokens. */
export interface AgentFacts {
  readonly name: AgentId;
  readonly tier: Tier;
  readonly createdAt: Date;
  readonly tokens: number;
}

/** What an agent may use within a day or a minute, and has used of it. */
export interface Budget {
  /** As in the settings. */
  readonly name: string;
  readonly unit: "bytes" | "requests";
  readonly used: number;
  readonly limit: number;
}

/** The agents. */
export interface Agents {
  /** Sorted by name. */
  list(): Awaitable<readonly AgentFacts[]>;
  /** The token in clear, this once. `tier` undefined: read-only for a new agent, unchanged for a known one. */
  createToken(agent: AgentId, tier: Tier | undefined, by: Caller): Awaitable<string>;
  /** How many tokens no longer count. @throws Problem `not_found`. */
  revokeTokens(agent: AgentId, by: Caller): Awaitable<number>;
  /** @throws Problem `not_found`. */
  usage(agent: AgentId): Awaitable<{
    readonly requests: number;
    readonly refused: number;
    readonly commands: number;
    readonly bytes: number;
    readonly budgets: readonly Budget[];
  }>;
}
