import type { Effect } from "../model/effect.ts";
import type { Judgement } from "../model/gate-ports.ts";
import type { Scope } from "../model/scope.ts";
import type { Subject } from "../model/subject.ts";
import { decide } from "./decide.ts";
import { hardcodedRule } from "./hardcoded-rule.ts";
import { capabilityOf } from "./rules/capability.ts";
import type { RuleIndex } from "./rules/rule-index.ts";
import { settle } from "./settle.ts";

/** A request that was judged before, as far as it matters for judging it again under other rules. */
export interface PastRequest {
  readonly subject: Pick<Subject, "tier" | "mode" | "attended">;
  readonly effects: readonly PastEffect[];
  /** True where the sidecar itself would have touched the files, false for a command. */
  readonly byFileService: boolean;
}

/** One effect that the analysis saw then. */
export interface PastEffect {
  readonly effect: Effect;
  /** The hardcoded rule that denied it, and why: blocklist and invariants speak the same under all rules. */
  readonly fixed?: { readonly id: string; readonly because: string };
}

/** What these rules make of a past request: its effects are taken as they were seen then, nothing is analysed or looked at anew. */
export function redecide(
  { subject, effects, byFileService }: PastRequest,
  rules: RuleIndex,
  scopes: readonly Scope[],
): Pick<Judgement, "decision" | "settlement"> {
  const blocked = effects.flatMap(({ effect, fixed }) =>
    fixed === undefined ? [] : [{ effect, rule: hardcodedRule(fixed.id, capabilityOf(effect), "deny", fixed.because) }],
  );
  const world = { rules: [rules], scopes, tier: subject.tier, own: [], byFileService };
  const decision = decide(
    effects.map(({ effect }) => effect),
    blocked,
    world,
  );
  return { decision, settlement: settle(decision, subject) };
}
