import type { RunEffect } from "../model/effect.ts";

/**
 * Commands whose further words a rule may leave open, because what they read, write, reach or run is judged on its own. Everything else is proposed word for
 * word: an interpreter, a package manager or a deletion must not become a wildcard by one key press.
 */
const programs: ReadonlySet<string> = new Set(
  `basename cat cmp column cut diff dirname du echo egrep fgrep file find grep head jq ls mkdir nl
  printf realpath rg sed seq sort stat tail touch tr tree uniq wc which`.split(/\s+/),
);

/** By program: subcommands with open operands. */
const subcommands: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "git",
    new Set([
      "add",
      "blame",
      "branch",
      "commit",
      "describe",
      "diff",
      "log",
      "ls-files",
      "rev-parse",
      "show",
      "stash",
      "status",
    ]),
  ],
  ["cargo", new Set(["build", "check", "clippy", "fmt", "test"])],
  ["go", new Set(["build", "fmt", "list", "test", "vet"])],
]);

/** The leading words that a rule keeps, or undefined where it must keep all of them. */
export function openWords(run: RunEffect): readonly string[] | undefined {
  const [first, second] = run.argv;
  if (first === undefined || first !== run.program || run.argv.length < 2) return undefined;
  if (programs.has(first)) return [first];
  if (second === undefined || run.argv.length < 3 || subcommands.get(first)?.has(second) !== true) return undefined;
  return [first, second];
}
