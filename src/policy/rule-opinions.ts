import type { Effect } from "../model/effect.ts";
import type { Rule } from "../model/rule.ts";
import type { Verdict } from "../model/verdict.ts";
import type { JudgedEffects } from "./judged-effects.ts";
import type { Opinion } from "./opinion.ts";
import type { Hit } from "./rules/compiled-rule.ts";

/** What the rules of all sources say about one effect, strictest first; empty where none speaks. */
export function ruleOpinions(effect: Effect, together: JudgedEffects): Opinion[] {
  const hits = together.indexes.map((index) => index.find(effect));
  const found: Opinion[] = [];
  for (const { deny } of hits) for (const hit of deny) addDenial(effect, together, hit, found);
  for (const { ask } of hits) for (const hit of ask) found.push(askOpinion(hit.rule));
  for (const { allow } of hits) for (const hit of allow) found.push(allowOpinion(hit.rule));
  return found;
}

function addDenial(effect: Effect, together: JudgedEffects, { rule, whole }: Hit, found: Opinion[]): void {
  if (whole || effect.kind !== "read")
    found.push({ verdict: "deny", rules: [rule], because: reason(rule, "denies"), firm: true });
  // Searching a folder that holds a denied file is not reading that file; a person must look at it.
  else if (!together.onlyLooksAround)
    found.push({ verdict: "ask", rules: [rule], because: `it covers what rule ${rule.id} denies`, firm: true });
}

function askOpinion(rule: Rule): Opinion {
  return {
    verdict: "ask",
    rules: [rule],
    because: reason(rule, "asks for"),
    firm: rule.source === "hardcoded" || rule.source === "managed",
  };
}

/** Hardcoded and managed rules may never allow: should one arrive here, it is not heard. */
function allowOpinion(rule: Rule): Opinion {
  const verdict: Verdict = rule.source === "hardcoded" || rule.source === "managed" ? "ask" : "allow";
  return { verdict, rules: [rule], because: reason(rule, "allows"), firm: verdict === "ask" };
}

function reason(rule: Rule, verb: string): string {
  return rule.because ?? `${rule.source} rule ${rule.id} ${verb} it`;
}
