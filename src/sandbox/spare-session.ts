import { parseSessionId, type SessionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";

/** Whose sandboxes are that were made ahead: no real session has so short an id. */
export function spareSession(): SessionId {
  const session = parseSessionId("spare");
  if (session === undefined) throw new Problem("internal", "no session of spares");
  return session;
}
