import { SessionsService } from "../../gen/sallyport/v1/sessions_pb.ts";
import type { Mode } from "../../model/subject.ts";
import { requireAdmin } from "../authority.ts";
import { carry } from "../carry.ts";
import { decodeAuthorize, decodeOpen, decodeRevokeStanding, decodeUpdate } from "../decode/session-requests.ts";
import { type Route, unary } from "../glue/route.ts";
import { provenDoor } from "../glue/wiring.ts";
import type { Ports } from "../ports.ts";
import { replySession, replyStanding } from "../reply/reply-session.ts";
import { decodeSessionId, sessionOf } from "../session-of.ts";

const widening: readonly (Mode | undefined)[] = ["autopilot", "allow-all"];

/** Who is here. The sessions room knows what widens a session, such as an image that is not configured; what always does is refused here already. */
export function sessionsRoutes({ sessions, gate }: Pick<Ports, "sessions" | "gate">): readonly Route[] {
  const { open, get, update, close, list, listStanding, revokeStanding, authorize } = SessionsService.method;
  return [
    unary(provenDoor, open, async (request, { caller }) => {
      const draft = decodeOpen(request, caller.channel);
      if (widening.includes(draft.mode)) requireAdmin(caller, `mode ${draft.mode}`);
      if (draft.scopes.length > 0) requireAdmin(caller, "a further folder");
      const { session, existing } = await sessions.open(caller, draft);
      return { session: replySession(session), existing };
    }),
    unary(provenDoor, get, async (request, { caller }) => ({
      session: replySession(await sessions.get(caller, decodeSessionId("session_id", request.sessionId))),
    })),
    unary(provenDoor, update, async (request, { caller }) => {
      const id = decodeSessionId("session_id", request.sessionId);
      const change = decodeUpdate(request);
      if (widening.includes(change.mode)) requireAdmin(caller, `mode ${change.mode}`);
      if (change.addScopes.length > 0) requireAdmin(caller, "a further folder");
      return { session: replySession(await sessions.update(caller, id, change)) };
    }),
    unary(provenDoor, close, async (request, { caller }) => {
      await sessions.close(caller, decodeSessionId("session_id", request.sessionId));
      return {};
    }),
    unary(provenDoor, list, async (_request, { caller }) => ({
      sessions: (await sessions.list(caller)).map(replySession),
    })),
    unary(provenDoor, listStanding, async (_request, { caller }) => {
      requireAdmin(caller, "the list of all granted folders");
      return { standing: (await sessions.standing(caller)).map(replyStanding) };
    }),
    unary(provenDoor, revokeStanding, async (request, { caller }) => {
      requireAdmin(caller, "taking back what is granted always");
      await sessions.revokeStanding(caller, decodeRevokeStanding(request));
      return {};
    }),
    unary(provenDoor, authorize, async (request, { caller, signal }) => {
      const intent = decodeAuthorize(request);
      const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
      return carry(gate, subject, intent, signal, ({ entry }) => Promise.resolve({ entryId: entry }));
    }),
  ];
}
