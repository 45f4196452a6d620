import type { ConnectIntent } from "../model/intent.ts";
import type { SessionId } from "../model/ids.ts";
import type { AdmitConnection } from "../egress/proxying/admit.ts";
import type { Gate } from "../gate/gate.ts";
import type { Agents } from "../sessions/agents.ts";
import type { Sessions } from "../sessions/sessions.ts";

/** What the door needs. */
export interface ProxyDoorParts {
  readonly gate: Gate;
  readonly sessions: Sessions;
  readonly agents: Agents;
}

/** The gate's door for connections from a sandbox: whose sandbox it is decides whose request it is. */
export function proxyDoor({ gate, sessions, agents }: ProxyDoorParts): AdmitConnection {
  // Async, so that a session that is gone is a refusal like any other.
  return async (session: SessionId, intent: ConnectIntent, signal: AbortSignal) =>
    gate.admit(sessions.inside(session, (agent) => agents.tierOf(agent)).subject, intent, signal);
}
