import type { Finding } from "../model/decision.ts";
import type { PathEffect } from "../model/effect.ts";
import type { Rule } from "../model/rule.ts";
import type { RuleIndex } from "./rules/rule-index.ts";

/**
 * What rules say about paths that a command may touch for all that its words say. Only a denial or an ask that is about the whole of it counts: that a
 * file may be touched is no reason to let anything pass, and no reason to ask where no rule names it.
 */
export function supposedFindings(supposed: readonly PathEffect[], indexes: readonly RuleIndex[]): Finding[] {
  return supposed.flatMap((effect) => {
    const hits = indexes.map((index) => index.find(effect));
    const denies = hits.flatMap(({ deny }) => deny).filter(({ whole }) => whole);
    if (denies.length > 0) return [finding(effect, "deny", denies)];
    const asks = hits.flatMap(({ ask }) => ask).filter(({ whole }) => whole);
    return asks.length > 0 ? [finding(effect, "ask", asks)] : [];
  });
}

function finding(effect: PathEffect, verdict: "deny" | "ask", hits: readonly { readonly rule: Rule }[]): Finding {
  const rules = hits.map(({ rule }) => rule);
  const [first] = rules;
  const verb = verdict === "deny" ? "denies" : "asks for";
  return {
    effect,
    verdict,
    rules,
    because: `the command names what rule ${first?.id ?? ""} ${verb}, and nobody can tell that it does not touch it`,
    firm: verdict === "deny" || rules.some(({ source }) => source === "hardcoded" || source === "managed"),
  };
}
