import type { Word } from "../simple-command.ts";
import { configOptions, gitConfig } from "./git-config.ts";
import { gitCommand, unseenGit, type GitFamily } from "./git-command.ts";
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

const commitOptions = `-a,--all -p,--patch -C,--reuse-message=. -c,--reedit-message=. --fixup=. --squash=. --reset-author --short --branch --porcelain --long -z,--null -F,--file=r --author=. --date=. -m,--message=. -t,--template=r -s,--signoff --no-signoff --trailer=. -n,--no-verify --verify --allow-empty
  --allow-empty-message --cleanup=. -e,--edit --no-edit --amend --no-post-rewrite -i,--include -o,--only --pathspec-from-file=o --pathspec-file-nul -u,--untracked-files=?. -v,--verbose -q,--quiet --dry-run --status --no-status -S,--gpg-sign=?. --no-gpg-sign`;

/** Options of the commands that may change any file of the working tree; only those with a meaning for paths or programs are told apart. */
const anyTree = `-b=. -B=. -c=. -C=. -f,--force,--discard-changes -q,--quiet -t,--track=?. -d,--detach -l -m,--message,--merge=?. -p,--patch -n,--no-commit,--no-stat -e,--edit,--no-edit -s,--strategy=. -X,--strategy-option=. -x,--exec=x -i,--interactive! -r,--rebase=?. -S,--gpg-sign=?. -F,--file=r -u -v,--verbose -k,--keep-index -a,--all -N
  --create=. --force-create=. --orphan=. --onto=. --root --hard --soft --mixed --keep --abort --continue --skip --quit --ff --no-ff --ff-only --squash --no-squash --stat --log=?. --no-log --signoff --no-signoff --no-track --guess --no-guess --ours --theirs --conflict=. --pathspec-from-file=o --pathspec-file-nul --overwrite-ignore
  --ignore-other-worktrees --recurse-submodules=?. --no-recurse-submodules --autostash --no-autostash --autosquash --no-autosquash --rebase-merges=?. --update-refs --committer-date-is-author-date --reset-author-date --no-verify --verify --allow-unrelated-histories --allow-empty --keep-empty --empty=. --keep-redundant-commits --mainline=. --cleanup=.
  --include-untracked --index --staged --no-keep-index --progress --no-progress --into-name=. --rerere-autoupdate --no-rerere-autoupdate --reapply-cherry-picks --fork-point --no-fork-point --apply --3way --directory=. --exclude=. --include=. --whitespace=. --patch-format=. --resolvemsg=. --scissors --no-scissors --quoted-cr=. --cone --no-cone --stdin --term-old=. --term-new=. --first-parent --prefix=. --temp --no-checkout --allow-empty-message --quit`;

/** Commands that change the repository or its files. */
export const gitChanging: GitFamily = [
  [
    "add stage",
    gitCommand(
      "-n,--dry-run -v,--verbose -f,--force -i,--interactive -p,--patch -e,--edit! -A,--all,--no-ignore-removal -u,--update --no-all,--ignore-removal -N,--intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --chmod=. --pathspec-from-file=o --pathspec-file-nul --sparse",
      add,
    ),
  ],
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
  [
    "restore",
    gitCommand(
      "-s,--source=. -p,--patch -W,--worktree -S,--staged -q,--quiet --progress --no-progress --ours --theirs -m,--merge --conflict=. --ignore-unmerged --ignore-skip-worktree-bits --recurse-submodules --overlay --no-overlay --pathspec-from-file=o --pathspec-file-nul",
      restore,
    ),
  ],
  [
    "reset",
    gitCommand(anyTree, (parsed, repo) =>
      has(parsed, "--hard", "--merge", "--keep") ? changeTree(repo) : changeData(repo),
    ),
  ],
  ["checkout-index", gitCommand(anyTree, checkoutIndex)],
  ["merge rebase cherry-pick revert sparse-checkout read-tree", gitCommand(anyTree, (_, repo) => changeTree(repo))],
  [
    "am",
    gitCommand(anyTree, (parsed, repo) => {
      for (const word of parsed.operands) repo.at.read(word);
      changeTree(repo);
    }),
  ],
  [
    "apply",
    gitCommand(
      "-v,--verbose -q,--quiet -R,--reverse -3,--3way -p=. -C=. -N,--intent-to-add -z --stat --numstat --summary --check --index --cached --apply --reject --unidiff-zero --no-add --allow-binary-replacement,--binary --exclude=. --include=. --ignore-space-change,--ignore-whitespace --whitespace=. --inaccurate-eof --recount --directory=. --unsafe-paths --allow-empty --build-fake-ancestor=w --ours --theirs --union",
      apply,
    ),
  ],
  [
    "worktree",
    gitCommand(
      "-f,--force -d,--detach -b=. -B=. -q,--quiet --checkout --no-checkout --lock --reason=. --orphan --guess-remote --no-guess-remote --track --no-track --porcelain -z -n,--dry-run --expire=. -v,--verbose --relative-paths",
      worktree,
    ),
  ],
  ["stash", gitCommand(anyTree, stash)],
  [
    "branch tag",
    gitCommand(
      "-a,--all,--annotate -d,--delete -D -m,--move,--message=?. -M -c,--copy -C -f,--force -l,--list -r,--remotes -v,--verbose -q,--quiet -t,--track=?. -u,--set-upstream-to,--local-user=. -s,--sign -n=?. -F,--file=r -e,--edit --unset-upstream --show-current --contains=?. --no-contains=?. --merged=?. --no-merged=?. --points-at=. --sort=. --format=. --color=?. --no-color --column=?. --no-column --abbrev=?. --no-abbrev --edit-description --no-track --create-reflog --cleanup=. --trailer=. -i,--ignore-case --omit-empty",
      refs,
    ),
  ],
  [
    "format-patch",
    gitCommand(
      "-o,--output-directory=. --output=w --stdout -n,--numbered -N,--no-numbered -k -s,--signoff -v,--reroll-count=. -# --start-number=. --numbered-files --suffix=. --subject-prefix=. --rfc=?. --cover-letter --thread=?. --no-thread --attach=?. --inline=?. --in-reply-to=. --to=. --cc=. --from=?. --signature=. --signature-file=r --base=. --root --zero-commit --no-signature --stat -p -q,--quiet --cover-from-description=. --description-file=r --interdiff=. --range-diff=. --creation-factor=. -M -C",
      formatPatch,
    ),
  ],
  ["bundle", gitCommand("-q,--quiet --progress --all --branches --tags --version=. --all-progress -#", bundle)],
  ["config", gitCommand(configOptions, gitConfig)],
  [
    "notes update-ref symbolic-ref update-index write-tree commit-tree hash-object mktag mktree replace pack-refs prune-packed pack-objects index-pack unpack-objects rerere",
    gitCommand(
      "-m,--message=. -F,--file=r -w -t=. -p=. -d,--delete -f,--force -q,--quiet --stdin --add --remove --cacheinfo=. --chmod=. --refresh --again -a,--all --no-deref --create-reflog -S,--gpg-sign=?. --path=. --literally --no-filters --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree --index-info --really-refresh --force-remove --prune --ref=. -c=. -C=. --short",
      (_, repo) => changeData(repo),
    ),
  ],
  [
    "gc prune repack reflog",
    gitCommand(
      "-aAdfFlnqvEk --auto --aggressive --prune=?. --no-prune --force --quiet --expire=. --expire-unreachable=. --all --stale-fix --updateref --rewrite --dry-run --verbose --keep-largest-pack --window=. --depth=. --threads=. --cruft --no-cruft --progress --no-progress --detach --no-detach --oneline --date=. --format=.",
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
    "mergetool difftool filter-branch filter-repo gui citool gitk instaweb daemon svn p4 cvsserver cvsimport credential credential-store credential-cache maintenance for-each-repo hook request-pull quiltimport fast-import fast-export web--browse archimport http-backend http-push imap-send shell lfs flow annex",
    unseenGit("it runs programs that are not seen here"),
  ],
];
