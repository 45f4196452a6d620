import type { RunEffect } from "../model/effect.ts";
import type { Rule } from "../model/rule.ts";
import type { RuleIndex } from "./rules/rule-index.ts";
import { matchesWords, parseWordPattern, type WordPattern } from "./rules/word-pattern.ts";

/**
 * Programs whose words are understood, so that only a few of their options hide something (`rg --pre`, `sort --compress-program`, sed's `e`). A rule with a `*` was
 * not written with those in mind: their insides pass only by a rule that spells the whole command.
 */
const seeThrough: ReadonlySet<string> = new Set(
  `7z bzip2 cat cc chmod chown clang comm cp csplit curl cut date dd df diff du egrep fd fdfind fgrep file find g++ gcc git grep gzip head hostname
  install join jq ln ls mv nl paste printf rg rm rsync scp sed sort split stat tail tar tee touch tr tree uniq unzip wc wget xxd xz yq zip zstd`.split(
    /\s+/,
  ),
);

/** The rules that let a run pass and spell its program out before their first `*`. */
export function rulesThatName(run: RunEffect, indexes: readonly RuleIndex[]): Rule[] {
  return allowing(run, indexes, (pattern) => {
    const first = firstWord(run);
    return first !== "" && (pattern.head === first || pattern.head.startsWith(`${first} `));
  });
}

/** The rules that let what a run hides pass: those that name it, and where the program is seen through those that spell the whole command. */
export function rulesForInsides(run: RunEffect, indexes: readonly RuleIndex[]): Rule[] {
  return seeThrough.has(run.program)
    ? allowing(run, indexes, (pattern) => pattern.tail === undefined)
    : rulesThatName(run, indexes);
}

function allowing(run: RunEffect, indexes: readonly RuleIndex[], wanted: (pattern: WordPattern) => boolean): Rule[] {
  return indexes
    .flatMap((index) => index.find(run).allow.map((hit) => hit.rule))
    .filter((rule) =>
      rule.match.map(parseWordPattern).some((pattern) => matchesWords(pattern, run.text) && wanted(pattern)),
    );
}

function firstWord(run: RunEffect): string {
  const [word = ""] = run.argv;
  return run.text.startsWith(word) ? word : (run.text.split(" ", 1)[0] ?? "");
}
