import type { DatabaseSync } from "node:sqlite";
import type { AbsolutePath } from "../model/absolute-path.ts";
import type { AgentId, SessionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import type { Session } from "../model/session.ts";
import type { Caller, Tier } from "../model/subject.ts";
import { changed } from "./change-session.ts";
import { liveRules } from "./live-rules.ts";
import { isLive, liveScopes } from "./live-scopes.ts";
import {
  checkDraft,
  mayWiden,
  needsAdmin,
  type SessionChange,
  type SessionDefaults,
  type SessionDraft,
} from "./session-draft.ts";
import { newSession, resumed } from "./new-session.ts";
import { createSessionStore } from "./session-store.ts";
import { createStandingScopes, type StandingOwner, type StandingScope } from "./standing-scopes.ts";
import type { StoredSession } from "./stored-session.ts";
import { lowerTier, stricterMode } from "./widening.ts";

/** What the sessions are made of. */
export interface SessionsOptions {
  /** `sessions.db` of the state folder. */
  readonly database: DatabaseSync;
  readonly clock: () => Date;
  readonly defaults: SessionDefaults;
  /** Told of a session that made room for another because nobody had used it for long. */
  readonly onEvicted: (session: Session) => void;
  /** Sessions of one agent; 64 where not given. */
  readonly perAgent?: number;
  /** Milliseconds without use after which a session makes room; a day where not given. */
  readonly idleMs?: number;
}

/**
 * Who is here. To anybody but an admin a session exists only where it is the caller's own and was opened on a connection of the same channel; otherwise it is
 * `not_found`. What is returned is the session as this caller may use it: no tier above the caller's own, no wider mode than the default where the channel is
 * another, no scope that has expired.
 */
export interface Sessions {
  /** @throws Problem `not_found`. */
  get(caller: Caller, id: SessionId): Session;
  /**
   * The session as a command in its own sandbox may use it: like a request of its agent on the channel that it was opened on. `tierOf` gives the agent's tier of now.
   * @throws Problem `not_found`.
   */
  inside(id: SessionId, tierOf: (agent: AgentId) => Tier): Session;
  /**
   * Finds the caller's own session with that workspace, channel and key, and leaves it as it is; or opens one.
   * @throws Problem `invalid_argument`, `permission_denied` for what needs an admin, `resource_exhausted`, `unavailable` where it cannot be stored.
   */
  open(caller: Caller, draft: SessionDraft): { readonly session: Session; readonly existing: boolean };
  /** @throws Problem `not_found`, `invalid_argument`, `permission_denied` where it widens and the caller is no admin, `unavailable`. */
  update(caller: Caller, id: SessionId, change: SessionChange): Session;
  /** Ends the session and returns what it was. Its commands and its sandbox are for the caller to end. @throws Problem `not_found`, `unavailable`. */
  close(caller: Caller, id: SessionId): Session;
  /** The caller's own, for an admin all, each in the mode that it has on its own channel; the last used first. */
  list(caller: Caller): readonly Session[];
  /** Notes that the session is in use. */
  touch(id: SessionId): void;
  /** Takes one-time folders away: they were used. @throws Problem `not_found`, `unavailable` where that cannot be stored. */
  spend(id: SessionId, roots: readonly AbsolutePath[]): void;
  /** What is granted always and has not expired. @throws Problem `permission_denied` where the caller is no admin. */
  standing(caller: Caller): readonly StandingScope[];
  /** Takes back what is granted always, from open sessions too. @throws Problem `permission_denied` where the caller is no admin, `not_found`, `unavailable`. */
  revokeStanding(caller: Caller, owner: StandingOwner, root: AbsolutePath): void;
}

const usualPerAgent = 64;
const mostSessions = 1024;
const usualIdleMs = 86_400_000;

/** Prepares the sessions; those of the last run go on, in no wider mode than the default. @throws the store's error. */
export function createSessions(options: SessionsOptions): Sessions {
  const { clock, defaults } = options;
  const perAgent = options.perAgent ?? usualPerAgent;
  const idleMs = options.idleMs ?? usualIdleMs;
  const store = createSessionStore(options.database);
  const standing = createStandingScopes(options.database, clock);
  const sessions = new Map<SessionId, StoredSession>();
  for (const stored of store.load()) sessions.set(stored.session.subject.session, resumed(stored, defaults));

  function find(id: SessionId, maySeeIt: (stored: StoredSession) => boolean): StoredSession {
    const stored = sessions.get(id);
    if (stored === undefined || !maySeeIt(stored))
      throw new Problem("not_found", "there is no such session", { field: "session_id" });
    return current(stored);
  }

  /** Without the rules that have ended by themselves. The list stays the same object until one does: whoever compiles it does so once. */
  function current(stored: StoredSession): StoredSession {
    const rules = liveRules(stored.session.rules, clock());
    if (rules === stored.session.rules) return stored;
    const next = { ...stored, session: { ...stored.session, rules } };
    sessions.set(stored.session.subject.session, next);
    return next;
  }

  const findFor = (caller: Caller, id: SessionId): StoredSession => find(id, (stored) => maySee(caller, stored));

  function view(caller: Pick<Caller, "agent" | "channel" | "tier">, { session, openedOn }: StoredSession): Session {
    const { subject } = session;
    const now = clock();
    return {
      ...session,
      subject: {
        ...subject,
        tier: subject.agent === caller.agent ? lowerTier(subject.tier, caller.tier) : subject.tier,
        mode: openedOn === caller.channel ? subject.mode : stricterMode(subject.mode, defaults.mode),
      },
      scopes: liveScopes(session.scopes, standing.of(ownerOf(session)), now),
    };
  }

  /** For somebody who oversees the session rather than works in it: in the mode that it has on its own channel. */
  function overview(caller: Caller, stored: StoredSession): Session {
    const seen = view(caller, stored);
    return mayWiden(caller) ? { ...seen, subject: { ...seen.subject, mode: stored.session.subject.mode } } : seen;
  }

  function save(stored: StoredSession): StoredSession {
    store.save(stored);
    sessions.set(stored.session.subject.session, stored);
    return stored;
  }

  function makeRoom(caller: Caller): void {
    const own = (): readonly StoredSession[] =>
      [...sessions.values()].filter(({ session }) => session.subject.agent === caller.agent);
    const full = (): boolean => own().length >= perAgent || sessions.size >= mostSessions;
    if (!full()) return;
    const oldest = clock().getTime() - idleMs;
    for (const { session } of own().length >= perAgent ? own() : sessions.values()) {
      if (session.lastUsedAt.getTime() > oldest) continue;
      store.remove(session.subject.session);
      sessions.delete(session.subject.session);
      options.onEvicted(session);
    }
    if (full())
      throw new Problem(
        "resource_exhausted",
        `${own().length} sessions of ${caller.agent} are open, ${sessions.size} of all: close one`,
      );
  }

  return {
    get: (caller, id) => view(caller, findFor(caller, id)),
    inside(id, tierOf) {
      const stored = find(id, () => true);
      const { agent } = stored.session.subject;
      return view({ agent, channel: stored.openedOn, tier: tierOf(agent) }, stored);
    },
    open(caller, draft) {
      const found = [...sessions.values()].find((stored) => isSame(caller, draft, stored));
      if (found !== undefined) return { session: view(caller, current(found)), existing: true };
      checkDraft(caller, draft, defaults);
      makeRoom(caller);
      const session = newSession(caller, draft, defaults, clock());
      for (const scope of draft.scopes) if (scope.lasts === "always") standing.put(ownerOf(session), scope);
      const opened = save({ session, openedOn: caller.channel });
      return { session: view(caller, opened), existing: false };
    },
    update(caller, id, change) {
      const stored = findFor(caller, id);
      const owner = ownerOf(stored.session);
      const world = { widen: mayWiden(caller), now: clock(), standing: standing.of(owner) };
      const { session, grant, revoke } = changed(stored.session, change, world);
      // Takings away first: should storing fail between two of them, less is granted.
      for (const root of revoke) standing.remove(owner, root);
      const saved = save({ ...stored, session: { ...session, lastUsedAt: clock() } });
      for (const scope of grant) standing.put(owner, scope);
      return view(caller, saved);
    },
    close(caller, id) {
      const stored = findFor(caller, id);
      store.remove(id);
      sessions.delete(id);
      return view(caller, stored);
    },
    list(caller) {
      const seen = [...sessions.values()]
        .filter((stored) => maySee(caller, stored))
        .map((stored) => overview(caller, current(stored)));
      return seen.sort((a, b) => b.lastUsedAt.getTime() - a.lastUsedAt.getTime());
    },
    touch(id) {
      const stored = sessions.get(id);
      // In memory only: every request comes by here.
      if (stored !== undefined) sessions.set(id, { ...stored, session: { ...stored.session, lastUsedAt: clock() } });
    },
    spend(id, roots) {
      const stored = find(id, () => true);
      const scopes = stored.session.scopes.filter(({ lasts, root }) => lasts !== "once" || !roots.includes(root));
      save({ ...stored, session: { ...stored.session, scopes } });
    },
    standing(caller) {
      if (!mayWiden(caller)) throw needsAdmin("agent", "what is granted always");
      return standing.list().filter(({ scope }) => isLive(scope, clock()));
    },
    revokeStanding(caller, owner, root) {
      if (!mayWiden(caller)) throw needsAdmin("root", root);
      if (!standing.remove(owner, root))
        throw new Problem("not_found", `root: ${root} is not granted always there`, { field: "root" });
    },
  };
}

function maySee(caller: Caller, { session, openedOn }: StoredSession): boolean {
  return mayWiden(caller) || (session.subject.agent === caller.agent && openedOn === caller.channel);
}

function isSame(caller: Caller, draft: SessionDraft, { session, openedOn }: StoredSession): boolean {
  const { subject, workspace, key } = session;
  return (
    subject.agent === caller.agent &&
    openedOn === caller.channel &&
    subject.channel === draft.channel &&
    workspace === draft.workspace &&
    key === draft.key
  );
}

function ownerOf({ subject, workspace }: Session): StandingOwner {
  return { agent: subject.agent, workspace };
}
