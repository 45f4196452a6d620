import type { ConnectAction } from "../../model/action.ts";
import type { SessionId } from "../../model/ids.ts";
import type { ConnectIntent } from "../../model/intent.ts";
import type { Outcome } from "../../model/outcome.ts";
import { Permit } from "../../model/permit.ts";
import { Problem } from "../../model/problem.ts";
import { EgressProblem } from "../egress-problem.ts";
import type { Authority } from "./authority.ts";

/** An admitted connection: leave to act, and where its end is recorded. */
export interface AdmittedConnection {
  readonly permit: Permit<ConnectAction>;
  /** The rule that would have refused it, or `ask`, where the agent's mode only reports. */
  readonly wouldRefuse?: string;
  /** Aborts where the connection would be refused by now: it is cut then. */
  readonly revoked: AbortSignal;
  /** Records how it ended; called once. */
  end(outcome: Outcome): void;
}

/** The gate's door for connections from a sandbox. May wait for a person. @throws Problem where it is refused */
export type AdmitConnection = (
  session: SessionId,
  intent: ConnectIntent,
  signal: AbortSignal,
) => Promise<AdmittedConnection>;

/** Takes the action out of the permit and checks that it is for the authority that was asked about. */
export function redeemFor(admitted: AdmittedConnection, { host, port }: Authority): void {
  const action = Permit.redeem(admitted.permit, "connect");
  if (action.host !== host.text || action.port !== port)
    throw new Problem("internal", `${host.text}:${port} was not judged, but ${action.host}:${action.port}`);
}

/** The outcome of a failure. */
export function failureOf(error: unknown): Outcome {
  if (error instanceof EgressProblem) {
    if (error.reason === "cancelled") return { kind: "abandoned", reason: error.message };
    return { kind: "failed", reason: error.message, facts: { reason: error.reason } };
  }
  return { kind: "failed", reason: error instanceof Problem ? error.message : "internal error", facts: {} };
}
