import { parseSessionId, type SessionId } from "../model/ids.ts";
import { invalid } from "../model/problem.ts";
import type { Session } from "../model/session.ts";
import type { Caller } from "../model/subject.ts";
import type { Awaitable } from "./ports/awaitable.ts";
import type { Sessions } from "./ports/people.ts";

/** The session that a request names; an empty identifier is the caller's default session. @throws Problem `invalid_argument`, `not_found`. */
export function sessionOf(sessions: Sessions, caller: Caller, field: string, id: string): Awaitable<Session> {
  return id === "" ? sessions.ofCaller(caller) : sessions.get(caller, decodeSessionId(field, id));
}

/** An identifier that must be there. @throws Problem `invalid_argument`. */
export function decodeSessionId(field: string, id: string): SessionId {
  if (id === "") throw invalid(field, "must be set");
  const parsed = parseSessionId(id);
  if (parsed === undefined) throw invalid(field, "is no identifier");
  return parsed;
}
