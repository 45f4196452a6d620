import type { Effect, OpaqueEffect, ReachEffect, RunEffect } from "../model/effect.ts";
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
  const naming = owner === undefined ? [] : namingRules(owner, indexes);
  if (naming.length === 0) return { verdict: "ask", rules: [], because: effect.why, firm: false };
  return { verdict: "allow", rules: naming, because: `a rule names this program`, firm: false };
}

/**
 * A host that the words do not name, such as the remote of `git push`. The connection itself is judged when it is made; here it passes where a rule names every
 * program of the request that is not known to only read.
 */
export function unknownHostOpinion(
  effect: ReachEffect,
  all: readonly Effect[],
  indexes: readonly RuleIndex[],
): Opinion | undefined {
  if (effect.host !== "*") return undefined;
  const runs = all.filter((each) => each.kind === "run").filter((run) => run.readOnly !== true);
  const naming = runs.map((run) => namingRules(run, indexes));
  if (naming.length === 0 || naming.some((rules) => rules.length === 0)) return undefined;
  const because = "a rule names this program, and each connection is judged when it is made";
  return { verdict: "allow", rules: naming.flat(), because, firm: false };
}

function namingRules(run: RunEffect, indexes: readonly RuleIndex[]): Rule[] {
  return indexes
    .flatMap((index) => index.find(run).allow.map((hit) => hit.rule))
    .filter((rule) => namesProgram(rule, run));
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
