import type { Effect, OpaqueEffect, ReachEffect, RunEffect } from "../model/effect.ts";
import { rulesForInsides, rulesThatName } from "./names-program.ts";
import type { Opinion } from "./opinion.ts";
import type { RuleIndex } from "./rules/rule-index.ts";

/**
 * What cannot be seen asks, and where it cannot be decided it asks firmly. Only what a known program hides may pass, by a rule that names this program: the run with
 * the same text.
 */
export function opaqueOpinion(effect: OpaqueEffect, all: readonly Effect[], indexes: readonly RuleIndex[]): Opinion {
  if (effect.cause !== "program") return { verdict: "ask", rules: [], because: effect.why, firm: true };
  const owner = all.find((each): each is RunEffect => each.kind === "run" && each.text === effect.text);
  const naming = owner === undefined ? [] : rulesForInsides(owner, indexes);
  if (naming.length === 0) return { verdict: "ask", rules: [], because: effect.why, firm: false };
  return { verdict: "allow", rules: naming, because: "a rule names this program", firm: false };
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
  const naming = runs.map((run) => rulesThatName(run, indexes));
  if (naming.length === 0 || naming.some((rules) => rules.length === 0)) return undefined;
  const because = "a rule names this program, and each connection is judged when it is made";
  return { verdict: "allow", rules: naming.flat(), because, firm: false };
}
