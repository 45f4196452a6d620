import type { Effect } from "../../model/effect.ts";
import type { Rule } from "../../model/rule.ts";

/**
 * Whether a strict rule is about the method of a reach. Some servers take `delete` for `DELETE`, so case does not count. Of a tunnel, or of a host that words name, no method is known:
 * a rule with methods does not speak there, for its hosts are looked into, where each request meets it.
 */
export function meetsMethod({ methods }: Rule, effect: Effect): boolean {
  const method = methodOf(effect);
  return methods === undefined || (method !== undefined && methods.includes(method.toUpperCase()));
}

/** Whether an allowing rule covers the method of a reach: spelled as the rule says it, and never one that is not known. */
export function coversMethod({ methods }: Rule, effect: Effect): boolean {
  const method = methodOf(effect);
  return methods === undefined || (method !== undefined && methods.includes(method));
}

function methodOf(effect: Effect): string | undefined {
  return effect.kind === "reach" ? effect.method : undefined;
}
