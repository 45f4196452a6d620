import type { Effect } from "../model/effect.ts";
import { exhausted } from "../model/exhausted.ts";
import { type Tier, tiers } from "../model/subject.ts";
import { hardcodedRule } from "./hardcoded-rule.ts";
import type { Opinion } from "./opinion.ts";
import { capabilityOf } from "./rules/capability.ts";

/** The lowest tier that may ever do this. */
function tierNeeded(effect: Effect): Tier {
  switch (effect.kind) {
    case "read":
      return "read-only";
    case "write":
      return "builder";
    case "delete":
      return "full";
    case "run":
    case "opaque":
      return "operator";
    case "reach":
      return effect.capability === "web_fetch" ? "read-only" : "operator";
    case "use":
      return ["mcp", "subagent", "plugin"].includes(effect.capability) ? "operator" : "read-only";
    default:
      return exhausted(effect);
  }
}

/** A denial where the tier does not reach; nothing lifts it. The rule's id is `tier.<needed>`. */
export function ceilingOpinions(effect: Effect, tier: Tier): Opinion[] {
  const needed = tierNeeded(effect);
  if (tiers.indexOf(tier) >= tiers.indexOf(needed)) return [];
  const because = `an agent of tier ${tier} may not do this; it needs ${needed}`;
  const rule = hardcodedRule(`tier.${needed}`, capabilityOf(effect), "deny", because);
  return [{ verdict: "deny", rules: [rule], because, firm: true }];
}
