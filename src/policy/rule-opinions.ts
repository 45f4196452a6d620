import type { Effect } from "../model/effect.ts";
import type { Rule } from "../model/rule.ts";
import type { Verdict } from "../model/verdict.ts";
import type { Opinion } from "./opinion.ts";
import type { Hit } from "./rules/compiled-rule.ts";
import type { RuleIndex } from "./rules/rule-index.ts";

/** What the rules of all sources say about one effect, strictest first; empty where none speaks. */
export function ruleOpinions(effect: Effect, indexes: readonly RuleIndex[]): Opinion[] {
  const hits = indexes.map((index) => index.find(effect));
  const denies = hits.flatMap((each) => each.deny);
  const asks = hits.flatMap((each) => each.ask);
  const allows = hits.flatMap((each) => each.allow);
  return [
    ...denies.map((hit) => denyOpinion(effect, hit)),
    ...asks.map((hit) => askOpinion(hit.rule)),
    ...allows.map((hit) => allowOpinion(hit.rule)),
  ];
}

function denyOpinion(effect: Effect, { rule, whole }: Hit): Opinion {
  // Listing or searching a folder that holds a denied file is not reading that file; a person must still look at it.
  if (!whole && effect.kind === "read")
    return { verdict: "ask", rules: [rule], because: `it covers what rule ${rule.id} denies`, firm: true };
  return { verdict: "deny", rules: [rule], because: reason(rule, "denies"), firm: true };
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
