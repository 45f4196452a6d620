import type { Effect, OpaqueEffect, RunEffect } from "../model/effect.ts";
import type { Rule } from "../model/rule.ts";
import type { Opinion } from "./opinion.ts";
import type { RuleIndex } from "./rules/rule-index.ts";
import { matchesWords, parseWordPattern } from "./rules/word-pattern.ts";

/**
 * What cannot be seen asks, and where it cannot be decided it asks firmly. Only the insides of a known program may pass, by a rule that names this program.
 * `owner` is the run that the part belongs to.
 */
export function opaqueOpinion(
  effect: OpaqueEffect,
  owner: RunEffect | undefined,
  indexes: readonly RuleIndex[],
): Opinion {
  if (effect.cause !== "program") return { verdict: "ask", rules: [], because: effect.why, firm: true };
  const rules = owner === undefined ? [] : indexes.flatMap((index) => index.find(owner).allow.map((hit) => hit.rule));
  const naming = rules.filter((rule) => owner !== undefined && namesProgram(rule, owner));
  if (naming.length === 0) return { verdict: "ask", rules: [], because: effect.why, firm: false };
  return { verdict: "allow", rules: naming, because: `a rule names this program`, firm: false };
}

/** The run that an opaque part belongs to: the one with the same text, otherwise the last one before it. */
export function ownerOf(effects: readonly Effect[], at: number): RunEffect | undefined {
  const effect = effects[at];
  const runs = effects.filter((each) => each.kind === "run");
  const same = runs.find((run) => effect?.kind === "opaque" && run.text === effect.text);
  return same ?? effects.slice(0, at).findLast((each) => each.kind === "run");
}

/** True where a matching pattern spells the program out before its first `*`. */
function namesProgram(rule: Rule, run: RunEffect): boolean {
  const word = run.argv[0] ?? "";
  const first = run.text.startsWith(word) ? word : (run.text.split(" ", 1)[0] ?? "");
  if (first === "") return false;
  return rule.match.some((text) => {
    const pattern = parseWordPattern(text);
    return matchesWords(pattern, run.text) && (pattern.head === first || pattern.head.startsWith(`${first} `));
  });
}
