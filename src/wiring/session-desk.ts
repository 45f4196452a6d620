import type { Facts } from "../model/facts.ts";
import { type AbsolutePath, isInside } from "../model/absolute-path.ts";
import { invalid, Problem } from "../model/problem.ts";
import type { Scope } from "../model/scope.ts";
import type { Caller } from "../model/subject.ts";
import type { Session } from "../model/session.ts";
import type { AgentId, SessionId } from "../model/ids.ts";
import { whyNeverMounted } from "../sandbox/plan-mounts.ts";
import type { Sessions as SessionsPort } from "../server/ports/people.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { NoteChange } from "./change-notes.ts";
import { innerCaller } from "./inner-caller.ts";

/** What the desk needs. */
export interface SessionDeskParts {
  readonly sessions: Sessions;
  readonly facts: Facts;
  /** The folder that the server was started for; real. */
  readonly workspace: AbsolutePath;
  /** Ends the commands and the sandbox of a session. */
  readonly end: (id: SessionId) => Promise<void>;
  /** Sees to it that no further command runs in a sandbox of the session that is open now. */
  readonly renew: (id: SessionId) => void;
  readonly note: NoteChange;
  /** Told of every session that may do something else by now. */
  readonly onChange: () => void;
}

/** Sessions as the server asks for them: folders are resolved to their real paths before anything else sees them. */
export function sessionDesk(parts: SessionDeskParts): SessionsPort {
  const { sessions, facts, workspace, end, note, onChange } = parts;

  /** Folders of this agent in this workspace are others by now. */
  function renew(agent: AgentId, folder: AbsolutePath): void {
    for (const session of sessions.list(innerCaller()))
      if (session.subject.agent === agent && session.workspace === folder) parts.renew(session.subject.session);
  }

  function open(caller: Caller, draft: Parameters<SessionsPort["open"]>[1]): { session: Session; existing: boolean } {
    const root = draft.workspace === undefined ? workspace : realFolder(facts, "workspace", draft.workspace);
    const scopes = draft.scopes.map((scope, at) => realScope(facts, `scopes[${at}]`, scope));
    return sessions.open(caller, { ...draft, workspace: root, scopes });
  }

  return {
    ofCaller(caller) {
      const { session } = open(caller, {
        workspace: undefined,
        key: "default",
        mode: "ask",
        attended: true,
        image: undefined,
        scopes: [],
        channel: caller.channel,
      });
      sessions.touch(session.subject.session);
      return session;
    },
    get(caller, id) {
      const session = sessions.get(caller, id);
      sessions.touch(id);
      return session;
    },
    open(caller, draft) {
      if (draft.scopes.length > 0 || draft.mode === "autopilot" || draft.mode === "allow-all")
        note(caller, "open a session", { ...draft });
      return open(caller, draft);
    },
    update(caller, id, change) {
      const addScopes = change.addScopes.map((scope, at) => realScope(facts, `add_scopes[${at}]`, scope));
      // Whoever may not see it learns nothing, and writes nothing.
      const { scopes } = sessions.get(caller, id);
      const removeScopes = change.removeScopes.map((root) => grantedRoot(facts, scopes, root));
      note(caller, "change a session", { session: id, ...change, addScopes, removeScopes });
      const session = sessions.update(caller, id, { ...change, addScopes, removeScopes });
      if (addScopes.length + removeScopes.length > 0) renew(session.subject.agent, session.workspace);
      onChange();
      return session;
    },
    async close(caller, id) {
      const { subject } = sessions.close(caller, id);
      await end(subject.session);
    },
    list: (caller) => sessions.list(caller),
    standing: (caller) => sessions.standing(caller),
    revokeStanding(caller, { agent, workspace: folder, root }) {
      note(caller, "take back a folder", { of: agent, workspace: folder, root });
      sessions.revokeStanding(caller, { agent, workspace: folder }, root);
      renew(agent, folder);
      onChange();
    },
  };
}

/** The real path of an existing folder that may be granted. @throws Problem `invalid_argument`, `not_found`. */
export function realFolder(facts: Facts, field: string, path: AbsolutePath): AbsolutePath {
  const { real, kind } = facts.locate(path);
  if (kind === "missing") throw new Problem("not_found", `${field}: ${path} does not exist`, { field });
  if (kind !== "folder") throw invalid(field, `${path} is no folder`);
  const never = whyNeverMounted(real);
  if (never !== undefined) throw invalid(field, never);
  if (facts.own.some((own) => isInside(own, real))) throw invalid(field, `${path} belongs to Sallyport itself`);
  return real;
}

/** The granted folder that is meant: as it is written, or where that leads now. Nothing else is told of where it leads. */
function grantedRoot(facts: Facts, scopes: readonly Scope[], root: AbsolutePath): AbsolutePath {
  const granted = (path: AbsolutePath): boolean => scopes.some((scope) => scope.root === path);
  if (granted(root)) return root;
  try {
    const { real } = facts.locate(root);
    return granted(real) ? real : root;
  } catch {
    // Nobody can tell: it is no granted folder then, which the sessions say.
    return root;
  }
}

function realScope(facts: Facts, field: string, scope: Scope): Scope {
  return { ...scope, root: realFolder(facts, `${field}.root`, scope.root) };
}
