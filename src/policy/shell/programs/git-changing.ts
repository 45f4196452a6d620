import type { Word } from "../simple-command.ts";
import { configOptions, gitConfig } from "./git-config.ts";
import { gitCommand, unseenGit, type GitFamily } from "./git-command.ts";
import {
  addOptions,
  amOptions,
  anyTree,
  applyOptions,
  commitOptions,
  formatPatchOptions,
  pickOptions,
  plumbingOptions,
  refOptions,
  restoreOptions,
  worktreeOptions,
} from "./git-options.ts";
import { changeData, changeTree, pathspec, readData, readWorkTree, type Repo } from "./git-repo.ts";
import { has, valueOf, type ParsedOptions } from "./parse-options.ts";
import { baseOf, inFolder, namesFolder, textOf } from "./words.ts";

function readSpecs(words: readonly Word[], repo: Repo): void {
  for (const given of words) {
    const { word, whole } = pathspec(given, repo);
    if (whole) repo.at.readTree(word);
    else repo.at.read(word);
  }
}

function add(parsed: ParsedOptions, repo: Repo): void {
  if (parsed.operands.length === 0 && has(parsed, "-A", "-u", "-p", "-i", "-e", "--renormalize")) readWorkTree(repo);
  readSpecs(parsed.operands, repo);
  if (!has(parsed, "-n")) changeData(repo);
}

function commit(parsed: ParsedOptions, repo: Repo): void {
  if (has(parsed, "-a", "-p")) readWorkTree(repo);
  readSpecs(parsed.operands, repo);
  if (!has(parsed, "--dry-run")) changeData(repo);
}

function remove(parsed: ParsedOptions, repo: Repo): void {
  if (has(parsed, "-n")) return;
  for (const given of has(parsed, "--cached") ? [] : parsed.operands) {
    const { word, whole } = pathspec(given, repo);
    if (whole || has(parsed, "-r")) repo.at.removeTree(word);
    else repo.at.remove(word);
  }
  changeData(repo);
}

function move(parsed: ParsedOptions, repo: Repo): void {
  const target = parsed.operands.at(-1);
  const sources = parsed.operands.slice(0, -1);
  for (const source of sources) {
    const base = baseOf(source);
    repo.at.remove(source);
    if (target === undefined) continue;
    if (sources.length === 1 && !namesFolder(target)) repo.at.write(target);
    if (base !== undefined) repo.at.write(inFolder(target, base));
  }
  changeData(repo);
}

function clean(parsed: ParsedOptions, repo: Repo): void {
  if (has(parsed, "-n")) return readWorkTree(repo);
  if (parsed.operands.length === 0) return repo.at.removeTree(repo.workTree);
  for (const given of parsed.operands) repo.at.removeTree(pathspec(given, repo).word);
}

/** Behind `--` come paths; without it a word may be a branch or a path. */
function checkout(repo: Repo, args: readonly Word[]): void {
  const cut = args.findIndex((word) => textOf(word) === "--");
  const paths = cut === -1 ? [] : args.slice(cut + 1);
  if (paths.length === 0) return changeTree(repo);
  writeSpecs(paths, repo);
  changeData(repo);
}

function checkoutIndex(parsed: ParsedOptions, repo: Repo): void {
  const prefix = valueOf(parsed, "--prefix");
  if (prefix === undefined) changeTree(repo);
  else repo.at.inside(repo.workTree).writeTree(prefix);
}

function readThenChange(parsed: ParsedOptions, repo: Repo): void {
  for (const word of parsed.operands) repo.at.read(word);
  changeData(repo);
}

function writeSpecs(paths: readonly Word[], repo: Repo): void {
  for (const given of paths) {
    const { word, whole } = pathspec(given, repo);
    if (whole) repo.at.writeTree(word);
    else repo.at.write(word);
  }
}

function restore(parsed: ParsedOptions, repo: Repo): void {
  if (has(parsed, "--pathspec-from-file")) return changeTree(repo);
  if (!has(parsed, "-S") || has(parsed, "-W")) writeSpecs(parsed.operands, repo);
  changeData(repo);
}

function apply(parsed: ParsedOptions, repo: Repo): void {
  for (const word of parsed.operands) if (textOf(word) !== "-") repo.at.read(word);
  const onlyLooks = has(parsed, "--stat", "--numstat", "--summary", "--check") && !has(parsed, "--apply");
  if (onlyLooks) return;
  if (has(parsed, "--cached")) return changeData(repo);
  if (has(parsed, "--unsafe-paths"))
    repo.at.opaque("git apply --unsafe-paths writes outside the working tree", "dynamic");
  repo.at.writeTree(repo.workTree);
}

function worktree(parsed: ParsedOptions, repo: Repo): void {
  const [verb, first, second] = parsed.operands;
  const name = textOf(verb) ?? "";
  if (name === "list") return readData(repo);
  if (name === "add" && first !== undefined) repo.at.writeTree(first);
  if ((name === "remove" || name === "move") && first !== undefined) repo.at.removeTree(first);
  if (name === "move" && second !== undefined) repo.at.writeTree(second);
  changeData(repo);
}

function stash(parsed: ParsedOptions, repo: Repo): void {
  const verb = textOf(parsed.operands[0]) ?? "push";
  if (verb === "list" || verb === "show") return readData(repo);
  if (/^(drop|clear|create|store)$/.test(verb)) return changeData(repo);
  changeTree(repo);
}

/** Listing where nothing is named, changing refs otherwise. */
function refs(parsed: ParsedOptions, repo: Repo): void {
  const onlyLists =
    has(
      parsed,
      "-l",
      "-a",
      "-r",
      "--show-current",
      "--contains",
      "--no-contains",
      "--merged",
      "--no-merged",
      "--points-at",
      "--sort",
      "-n",
    ) || parsed.operands.length === 0;
  if (onlyLists && !has(parsed, "-d", "-D", "-m", "-M", "-c", "-C", "-f", "--edit-description")) readData(repo);
  else changeData(repo);
}

function formatPatch(parsed: ParsedOptions, repo: Repo): void {
  const folder = valueOf(parsed, "-o");
  if (has(parsed, "--stdout", "--output")) return;
  if (folder !== undefined) repo.at.writeTree(folder);
  else repo.at.write({ kind: "glob", pattern: "*.patch" });
}

function bundle(parsed: ParsedOptions, repo: Repo): void {
  const [verb, file] = parsed.operands;
  if (file === undefined) return;
  if (textOf(verb) === "create") return repo.at.write(file);
  repo.at.read(file);
  if (textOf(verb) === "unbundle") changeData(repo);
}

/** Commands that change the repository or its files. */
export const gitChanging: GitFamily = [
  ["add stage", gitCommand(addOptions, add)],
  ["commit", gitCommand(commitOptions, commit)],
  [
    "rm",
    gitCommand(
      "-f,--force -n,--dry-run -r --cached --ignore-unmatch --sparse -q,--quiet --pathspec-from-file=o --pathspec-file-nul",
      remove,
    ),
  ],
  ["mv", gitCommand("-f,--force -k -n,--dry-run -v,--verbose --sparse", move)],
  ["clean", gitCommand("-d -f,--force -i,--interactive -n,--dry-run -q,--quiet -e,--exclude=. -x -X", clean)],
  ["checkout switch", gitCommand(anyTree, (_, repo, { args }) => checkout(repo, args))],
  ["restore", gitCommand(restoreOptions, restore)],
  [
    "reset",
    gitCommand(anyTree, (parsed, repo) =>
      has(parsed, "--hard", "--merge", "--keep") ? changeTree(repo) : changeData(repo),
    ),
  ],
  ["checkout-index", gitCommand(anyTree, checkoutIndex)],
  ["cherry-pick revert", gitCommand(pickOptions, (_, repo) => changeTree(repo))],
  ["merge rebase sparse-checkout read-tree", gitCommand(anyTree, (_, repo) => changeTree(repo))],
  [
    "am",
    gitCommand(amOptions, (parsed, repo) => {
      for (const word of parsed.operands) repo.at.read(word);
      changeTree(repo);
    }),
  ],
  ["apply", gitCommand(applyOptions, apply)],
  ["worktree", gitCommand(worktreeOptions, worktree)],
  ["stash", gitCommand(anyTree, stash)],
  ["branch tag", gitCommand(refOptions, refs)],
  ["format-patch", gitCommand(formatPatchOptions, formatPatch)],
  ["bundle", gitCommand("-q,--quiet --progress --all --branches --tags --version=. --all-progress -#", bundle)],
  ["config", gitCommand(configOptions, gitConfig)],
  ["hash-object index-pack update-index", gitCommand(plumbingOptions, readThenChange)],
  [
    `notes update-ref symbolic-ref write-tree commit-tree mktag mktree replace pack-refs prune-packed pack-objects
      unpack-objects rerere`,
    gitCommand(plumbingOptions, (_, repo) => changeData(repo)),
  ],
  [
    "gc prune repack reflog",
    gitCommand(
      `-aAdfFlnqvEk --auto --aggressive --prune=?. --no-prune --force --quiet --expire=. --expire-unreachable=. --all --stale-fix
        --updateref --rewrite --dry-run --verbose --keep-largest-pack --window=. --depth=. --threads=. --cruft --no-cruft --progress
        --no-progress --detach --no-detach --oneline --date=. --format=.`,
      (_, repo) => changeData(repo),
    ),
  ],
  [
    "bisect",
    gitCommand(anyTree, (parsed, repo, { out }) => {
      if (textOf(parsed.operands[0]) === "run") out.opaque("git bisect run starts a program");
      changeTree(repo);
    }),
  ],
  [
    `mergetool difftool filter-branch filter-repo gui citool gitk instaweb daemon svn p4 cvsserver cvsimport credential credential-store
      credential-cache maintenance for-each-repo hook request-pull quiltimport fast-import fast-export web--browse archimport http-backend
      http-push imap-send shell lfs flow annex`,
    unseenGit("it runs programs that are not seen here"),
  ],
];
