import type { RunEffect } from "../model/effect.ts";

/**
 * Commands whose further words a rule may leave open, because what they read, write, reach or run is judged on its own. Everything else is proposed word for
 * word: an interpreter, a package manager or a deletion must not become a wildcard by one key press.
 */
const programs: ReadonlySet<string> = new Set(
  `[ basename cat cmp column cut diff dirname du echo egrep fgrep file find grep head jq ls mkdir nl
  printf realpath rg sed seq sleep sort stat tail test touch tr tree uniq wc which`.split(/\s+/),
);

/** By program: subcommands with open operands. */
const subcommands: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["git", new Set(["add", "blame", "commit", "describe", "diff", "log", "ls-files", "rev-parse", "show", "status"])],
  ["cargo", new Set(["build", "check", "clippy", "fmt", "test"])],
  ["go", new Set(["build", "fmt", "list", "test", "vet"])],
]);

const writesDiff = /^--(output|ext-diff|textconv|no-index)/;

/** Words with which these commands delete, write or start something: then each word counts. */
const weighty: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-(delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls|files0-from)$/],
  ["git diff", writesDiff],
  ["git log", writesDiff],
  ["git show", writesDiff],
  ["git commit", /^--(amend|no-verify)|^-[a-zA-Z]*n/],
  ["sort", /^-[a-zA-Z]*o|^--(o|comp)/],
  ["tree", /^-[a-zA-Z]*[oR]/],
]);

/** The leading words that a rule keeps, or undefined where it must keep all of them. */
export function openWords(run: RunEffect): readonly string[] | undefined {
  const [first, second] = run.argv;
  if (first === undefined || first !== run.program || run.argv.length < 2) return undefined;
  if (has(run.argv, weighty.get(first)) || has(run.argv, weighty.get(`${first} ${second ?? ""}`))) return undefined;
  // A stream editor that edits in place is another one.
  if (first === "sed" && second?.startsWith("-") === true) return run.argv.length > 2 ? [first, second] : undefined;
  if (programs.has(first)) return [first];
  if (second === undefined || run.argv.length < 3 || subcommands.get(first)?.has(second) !== true) return undefined;
  return [first, second];
}

function has(words: readonly string[], pattern: RegExp | undefined): boolean {
  return pattern !== undefined && words.some((word) => pattern.test(word));
}
