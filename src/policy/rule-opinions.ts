import type { Effect, RunEffect } from "../model/effect.ts";
import type { Rule } from "../model/rule.ts";
import type { Verdict } from "../model/verdict.ts";
import type { Opinion } from "./opinion.ts";
import type { Hit } from "./rules/compiled-rule.ts";
import type { RuleIndex } from "./rules/rule-index.ts";

/** What the rules of all sources say about one effect, strictest first; empty where none speaks. */
export function ruleOpinions(effect: Effect, all: readonly Effect[], indexes: readonly RuleIndex[]): Opinion[] {
  const hits = indexes.map((index) => index.find(effect));
  const denies = hits.flatMap((each) => each.deny);
  const asks = hits.flatMap((each) => each.ask);
  const allows = hits.flatMap((each) => each.allow);
  return [
    ...denies.flatMap((hit) => denyOpinions(effect, all, hit)),
    ...asks.map((hit) => askOpinion(hit.rule)),
    ...allows.map((hit) => allowOpinion(hit.rule)),
  ];
}

function denyOpinions(effect: Effect, all: readonly Effect[], { rule, whole }: Hit): Opinion[] {
  if (whole || effect.kind !== "read")
    return [{ verdict: "deny", rules: [rule], because: reason(rule, "denies"), firm: true }];
  // Searching a folder that holds a denied file is not reading that file; a person must look at it.
  if (!onlyLooksAround(all))
    return [{ verdict: "ask", rules: [rule], because: `it covers what rule ${rule.id} denies`, firm: true }];
  return [];
}

/**
 * True where nothing but the everyday commands runs (`git status`, `npm test`): they roam the whole folder, and one denied file in it must not make each of them a
 * question. A recursive listing shows what is in a denied folder, and `git diff -- FILE` what is in a denied file, so they are none of them.
 */
function onlyLooksAround(all: readonly Effect[]): boolean {
  const runs = all.filter((each) => each.kind === "run");
  return runs.length > 0 && runs.every((run) => run.readOnly === true && !mayShow(run));
}

function mayShow({ program, argv }: RunEffect): boolean {
  if (program === "ls") return argv.some((word) => /^-[^-]*R|^--rec/.test(word));
  const [subcommand = "", ...words] = argv
    .slice(1)
    .filter((word) => program !== "git" || !/^--no-(pager|optional-locks)$/.test(word));
  return program === "git" && subcommand !== "status" && words.some((word) => !word.startsWith("-") || word === "--");
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
