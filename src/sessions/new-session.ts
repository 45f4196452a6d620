import { randomBytes } from "node:crypto";
import { parseSessionId, type SessionId } from "../model/ids.ts";
import { invalid, Problem } from "../model/problem.ts";
import type { Session } from "../model/session.ts";
import type { Caller } from "../model/subject.ts";
import { checkScope } from "./change-scopes.ts";
import { limitsOf, type SessionDefaults, type SessionDraft } from "./session-draft.ts";
import type { StoredSession } from "./stored-session.ts";
import { stricterMode } from "./widening.ts";

/**
 * A session as it is opened; what is granted always is not its own.
 * @throws Problem `invalid_argument` naming `scopes`.
 */
export function newSession(caller: Caller, draft: SessionDraft, defaults: SessionDefaults, now: Date): Session {
  const workspace = { root: draft.workspace, access: "rw", lasts: "session" } as const;
  const roots = [draft.workspace, ...draft.scopes.map(({ root }) => root)];
  const twice = roots.find((root, at) => roots.indexOf(root) !== at);
  if (twice !== undefined) throw invalid("scopes", `${twice} is one already`);
  for (const scope of draft.scopes) checkScope("scopes", scope, draft.workspace, now);
  return {
    subject: {
      agent: caller.agent,
      session: newSessionId(),
      channel: draft.channel,
      role: caller.role,
      tier: draft.tier ?? caller.tier,
      mode: draft.mode,
      attended: draft.attended,
    },
    workspace: draft.workspace,
    scopes: [workspace, ...draft.scopes.filter(({ lasts }) => lasts !== "always")],
    rules: [],
    image: draft.image,
    limits: limitsOf(draft, defaults),
    openedAt: now,
    lastUsedAt: now,
    key: draft.key,
  };
}

/** What was given until the end of a run ends with it: one-time folders, and every mode that is wider than the default. */
export function resumed({ session, openedOn }: StoredSession, defaults: SessionDefaults): StoredSession {
  const subject = { ...session.subject, mode: stricterMode(session.subject.mode, defaults.mode) };
  return { session: { ...session, subject, scopes: session.scopes.filter(({ lasts }) => lasts !== "once") }, openedOn };
}

function newSessionId(): SessionId {
  const id = parseSessionId(randomBytes(16).toString("base64url"));
  if (id === undefined) throw new Problem("internal", "no valid session identifier was made");
  return id;
}
