import type { EgressMode } from "../config/load-settings.ts";
import { exhausted } from "../model/exhausted.ts";
import type { Settlement } from "../model/decision.ts";
import type { Judge, Judgement } from "../model/gate-ports.ts";
import type { AgentId } from "../model/ids.ts";

/** The mode of an agent on the way out. */
export type EgressModeOf = (agent: AgentId) => EgressMode;

/**
 * Judges, and lets a fetch or a connection of a sandbox pass that the agent's mode lets pass. What is hardcoded or managed stands in every mode, and so does the address guard,
 * which is behind the gate. The record shows the decision as it was, and that a mode settled it.
 */
export function withEgressModes(judge: Judge, modeOf: EgressModeOf): Judge {
  return {
    judge(subject, intent) {
      const judged = judge.judge(subject, intent);
      return (intent.kind === "connect" || intent.kind === "fetch") && passes(judged.settlement, modeOf(subject.agent))
        ? { ...judged, settlement: { kind: "allow", by: { kind: "mode" } } }
        : judged;
    },
  };
}

/** The rule that would refuse, or `ask`, of a settlement that `report` let pass; undefined where there is nothing to report. */
export function reported(judged: Pick<Judgement, "settlement">, mode: EgressMode): string | undefined {
  const { settlement } = judged;
  if (mode !== "report" || settlement.kind === "allow") return undefined;
  return (settlement.kind === "deny" ? settlement.finding?.rules[0]?.id : undefined) ?? "ask";
}

function passes(settlement: Settlement, mode: EgressMode): boolean {
  switch (settlement.kind) {
    case "allow":
      return false;
    case "ask":
      return mode !== "enforce" && settlement.open.every(({ firm }) => !firm);
    case "deny": {
      const { finding } = settlement;
      // A question that nobody is there for: no rule denied.
      if (finding === undefined) return false;
      if (finding.verdict !== "deny") return mode !== "enforce" && !finding.firm;
      return (
        mode === "report" &&
        finding.rules.length > 0 &&
        finding.rules.every(({ source }) => source !== "hardcoded" && source !== "managed")
      );
    }
    default:
      return exhausted(settlement);
  }
}
