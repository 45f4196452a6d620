import type { Word } from "../simple-command.ts";
import { gitCommand, type GitCommand, type GitFamily } from "./git-command.ts";
import { readData, readWorkTree, type Repo } from "./git-repo.ts";
import { has } from "./parse-options.ts";
import type { Call } from "./program.ts";
import { dropHead, headOf, shown, textOf } from "./words.ts";

/** Options of the log and diff family that start a program named by configuration or by the option itself. */
const starts = /^--(ext-diff|textconv|show-signature|filters|open-files-in-pager|recurse-submodules-exec)(=|$)/;

/**
 * Looks only for the options that do more than print (diff-options and pretty-formats of the git manual): the others are many and harmless.
 * A long name may be cut short.
 */
function scanDisplay({ args, name }: Call, repo: Repo): { readonly noIndex: boolean } {
  let noIndex = false;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    if (word === undefined || textOf(word) === "--") break;
    const head = headOf(word);
    const long = /^--[a-z-]+/.exec(head)?.[0] ?? "";
    const value = head.includes("=") ? dropHead(word, head.indexOf("=") + 1) : args[index + 1];
    if (long.length >= 4 && "--output".startsWith(long) && value !== undefined) repo.at.write(value);
    else if (starts.test(head)) repo.at.opaque(`${name} ${long} starts a program that the configuration names`);
    else if (
      /^--(pretty|format)\b/.test(head) &&
      /%G/.test(`${shown(word)} ${value === undefined ? "" : shown(value)}`)
    )
      repo.at.opaque(`${name} checks signatures with a program that the configuration names`);
    else if (long === "--no-index") noIndex = true;
    else if (head.startsWith("-O")) readOrder(word, args[index + 1], repo);
    else if (/^--(contents|ignore-revs-file|pathspec-from-file|exclude-from)$/.test(long) && value !== undefined)
      repo.at.read(value);
  }
  return { noIndex };
}

function readOrder(word: Word, next: Word | undefined, repo: Repo): void {
  const file = headOf(word) === "-O" ? next : dropHead(word, 2);
  if (file !== undefined) repo.at.read(file);
}

const history: GitCommand = (call, repo) => {
  scanDisplay(call, repo);
  readData(repo);
};

const workTree: GitCommand = (call, repo) => {
  const { noIndex } = scanDisplay(call, repo);
  // A path outside the working tree makes git diff compare plain files (git-diff(1)).
  if (call.name === "git diff")
    for (const word of call.args) if (/^\/|(^|\/)\.\.(\/|$)/.test(headOf(word))) repo.at.readTree(word);
  if (!noIndex) return readWorkTree(repo);
  for (const word of call.args) if (!headOf(word).startsWith("-")) repo.at.readTree(word);
};

/** Commands that print. */
export const gitReading: GitFamily = [
  ["status diff", workTree],
  ["check-ignore check-attr diff-files diff-index", workTree],
  [
    "ls-files",
    gitCommand(
      "-cdmoistuvfkz -x,--exclude=. -X,--exclude-from=r --exclude-per-directory=. --exclude-standard --error-unmatch --with-tree=. --full-name --recurse-submodules --abbrev=?. --debug --eol --deduplicate --sparse --format=. --cached --deleted --modified --others --ignored --stage --directory --no-empty-directory --unmerged --killed",
      (_, repo) => readWorkTree(repo),
    ),
  ],
  [
    "verify-pack",
    gitCommand("-v,--verbose -s,--stat-only", (parsed, repo) => parsed.operands.forEach((word) => repo.at.read(word))),
  ],
  [
    "interpret-trailers",
    gitCommand(
      "--in-place --trim-empty --where=. --if-exists=. --if-missing=. --only-trailers --only-input --unfold --parse --trailer=. --no-divider",
      (parsed, repo) => {
        for (const word of parsed.operands)
          if (has(parsed, "--in-place")) repo.at.write(word);
          else repo.at.read(word);
      },
    ),
  ],
  [
    `log show shortlog whatchanged rev-list rev-parse describe name-rev merge-base cherry blame annotate cat-file ls-tree for-each-ref
      show-ref show-branch diff-tree range-diff count-objects fsck verify-commit verify-tag var version stripspace check-mailmap
      check-ref-format get-tar-commit-id patch-id merge-tree`,
    history,
  ],
  [
    "grep",
    (call, repo) => {
      scanDisplay(call, repo);
      if (call.args.some((word) => headOf(word).startsWith("-O"))) repo.at.opaque("git grep -O starts a pager");
      call.args.forEach((word, index) => {
        if (textOf(call.args[index - 1]) === "-f") repo.at.read(word);
      });
      readWorkTree(repo);
    },
  ],
  [
    "help",
    gitCommand("-a,--all -g,--guides -c,--config -i,--info -m,--man! -w,--web! -v,--verbose", (_, __, { out }) =>
      out.opaque("git help starts a manual viewer"),
    ),
  ],
];
