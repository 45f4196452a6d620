import type { Capability, MetaCapability } from "../model/effect.ts";
import type { Rule } from "../model/rule.ts";
import type { Verdict } from "../model/verdict.ts";

/** A rule that is part of the program: it names what spoke where no file did. */
export function hardcodedRule(
  id: string,
  capability: Capability | MetaCapability,
  effect: Verdict,
  because: string,
  match: readonly string[] = [],
): Rule {
  return { id, source: "hardcoded", capability, match, exclude: [], effect, because };
}
