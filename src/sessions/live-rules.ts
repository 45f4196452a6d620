import type { Rule } from "../model/rule.ts";

/** The rules that hold at `now`; the same list where all of them do. */
export function liveRules(rules: readonly Rule[], now: Date): readonly Rule[] {
  const live = (rule: Rule): boolean => rule.expiresAt === undefined || rule.expiresAt > now;
  return rules.every(live) ? rules : rules.filter(live);
}
