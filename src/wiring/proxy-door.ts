import type { Judge } from "../model/gate-ports.ts";
import type { SessionId } from "../model/ids.ts";
import type { ConnectIntent } from "../model/intent.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Subject } from "../model/subject.ts";
import type { AdmitConnection } from "../egress/proxying/admit.ts";
import type { Gate } from "../gate/gate.ts";
import type { Agents } from "../sessions/agents.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { Relay, RelayTable } from "./relay-table.ts";

/** What the door needs. */
export interface ProxyDoorParts {
  readonly gate: Gate;
  /** The judge as the gate has it. */
  readonly judge: Judge;
  /** What of a request's judgement a mode that only reports let pass. */
  readonly reported?: (subject: Subject, intent: ConnectIntent) => string | undefined;
  /** Whether rules want to see more of requests to this host than a tunnel shows. */
  readonly looksInto: (session: SessionId, target: ConnectIntent) => boolean;
  readonly sessions: Sessions;
  readonly agents: Agents;
  /** Where admitted connections stand while they are open. */
  readonly relays: RelayTable;
}

/**
 * The gate's door for connections from a sandbox: whose sandbox it is decides whose request it is. A connection that is refused by now is cut; one that would ask
 * goes on, for it was allowed once.
 */
export function proxyDoor({
  gate,
  judge,
  reported,
  looksInto,
  sessions,
  agents,
  relays,
}: ProxyDoorParts): AdmitConnection {
  return async (session, intent, signal) => {
    const subject = () => sessions.inside(session, (agent) => agents.tierOf(agent)).subject;
    const admission = await gate.admit(subject(), intent, signal);
    const revoked = new AbortController();
    const relay: Relay = {
      isRefused: () =>
        judge.judge(subject(), intent).settlement.kind === "deny" ||
        // It was opened before there was such a rule, and is closed to it.
        (intent.via === "tunnel" && looksInto(session, intent)),
      cut: () => revoked.abort(),
    };
    relays.add(relay);
    const wouldRefuse = reported?.(subject(), intent);
    return {
      ...(wouldRefuse === undefined ? {} : { wouldRefuse }),
      permit: admission.permit,
      revoked: revoked.signal,
      end(outcome) {
        relays.remove(relay);
        admission.end(revoked.signal.aborted ? cutShort(outcome) : outcome);
      },
    };
  };
}

function cutShort(outcome: Outcome): Outcome {
  const facts = outcome.kind === "abandoned" ? {} : outcome.facts;
  return { kind: "failed", reason: "it was cut: by now it would be refused", facts };
}
