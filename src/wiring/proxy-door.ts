import type { ConnectIntent } from "../model/intent.ts";
import type { SessionId } from "../model/ids.ts";
import type { AdmitConnection } from "../egress/proxying/admit.ts";
import type { Gate } from "../gate/gate.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { innerCaller } from "./inner-caller.ts";

/** The gate's door for connections from a sandbox: whose sandbox it is decides whose request it is. */
export function proxyDoor(gate: Gate, sessions: Sessions): AdmitConnection {
  return (session: SessionId, intent: ConnectIntent, signal: AbortSignal) =>
    gate.admit(sessions.get(innerCaller(), session).subject, intent, signal);
}
