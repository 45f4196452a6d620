import type { Word } from "../simple-command.ts";
import { isDangerousSetting } from "./git-config.ts";
import { gitCommand, unseenGit, type GitFamily } from "./git-command.ts";
import { changeData, changeTree, readData, type Repo } from "./git-repo.ts";
import { has, valueOf, valuesOf, type ParsedOptions } from "./parse-options.ts";
import type { Call } from "./program.ts";
import { remotePlace } from "./url.ts";
import { literal, spelling, textOf } from "./words.ts";

/** A repository as git names it (git-clone(1), "Git URLs"): an address, `host:path`, a local folder, or a helper such as `ext::`. */
function reachRepository(word: Word | undefined, repo: Repo, local: boolean): void {
  const text = spelling(word);
  if (word === undefined || text === undefined) return repo.at.reach("*", 443);
  if (/^[a-z][a-z0-9+.-]*::/i.test(text)) return repo.at.opaque(`git starts a program for ${text}`, "environment");
  const place = /^file:\/\//i.test(text) ? undefined : remotePlace(text);
  if (place !== undefined) repo.at.reach(place.host, place.port);
  else if (local || /[/\\]/.test(text)) repo.at.readTree(literal(text.replace(/^file:\/\/[^/]*/i, "")));
  else repo.at.reach("*", 443);
}

/** The folder that git-clone(1) makes where none is given. */
function humanish(word: Word, bare: boolean): Word | undefined {
  const text = spelling(word)
    ?.replace(/[?#].*$/s, "")
    .replace(/(?<!\/)\/+$/, "")
    .replace(/\/\.git$/, "")
    .replace(/\.(git|bundle)$/, "");
  if (text === undefined) return undefined;
  const base = text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf(":")) + 1);
  return literal(bare ? `${base}.git` : base);
}

function clone(parsed: ParsedOptions, repo: Repo, { out }: Call): void {
  const [source, folder] = parsed.operands;
  if (source === undefined) return;
  reachRepository(source, repo, true);
  const target = folder ?? humanish(source, has(parsed, "--bare", "--mirror"));
  if (target !== undefined) repo.at.writeTree(target);
  for (const word of valuesOf(parsed, "-c")) {
    if (isDangerousSetting(textOf(word) ?? ""))
      out.opaque(`git clone -c ${textOf(word) ?? "…"} changes what git runs or obeys`, "environment");
  }
  if (has(parsed, "--recurse-submodules")) repo.at.reach("*", 443);
}

function init(parsed: ParsedOptions, repo: Repo): void {
  const folder = parsed.operands[0];
  const here = folder === undefined || textOf(folder) === ".";
  const separate = has(parsed, "--separate-git-dir");
  if (here && !has(parsed, "--bare")) repo.at.writeTree(separate ? literal(".git") : repo.gitDir);
  else repo.at.writeTree(folder ?? literal("."));
}

function submodule(parsed: ParsedOptions, repo: Repo, { out }: Call): void {
  const [verb, first, second] = parsed.operands;
  switch (textOf(verb)) {
    case "add": {
      reachRepository(first, repo, true);
      const target = second ?? (first === undefined ? undefined : humanish(first, false));
      if (target !== undefined) repo.at.writeTree(target);
      repo.at.write(literal(".gitmodules"));
      return changeData(repo);
    }
    case "foreach":
      return out.opaque("git submodule foreach runs a command in every submodule");
    case undefined:
    case "status":
    case "summary":
      return readData(repo);
    case "update":
      repo.at.reach("*", 443);
      return changeTree(repo);
    default:
      return changeTree(repo);
  }
}

function remote(parsed: ParsedOptions, repo: Repo): void {
  if (parsed.operands.some((word) => /^[a-z][a-z0-9+.-]*::/i.test(spelling(word) ?? "")))
    repo.at.opaque("git starts a program for such a remote", "environment");
  const verb = textOf(parsed.operands[0]);
  if (verb === "update" || verb === "show" || has(parsed, "-f") || (verb === "set-head" && has(parsed, "-a")))
    repo.at.reach("*", 443);
  if (verb === undefined || verb === "get-url" || verb === "show") return readData(repo);
  changeData(repo);
}

function archive(parsed: ParsedOptions, repo: Repo): void {
  const from = valueOf(parsed, "--remote");
  if (from !== undefined) reachRepository(from, repo, true);
}

const transfer = `-a,--append,--all -f,--force -q,--quiet -v,--verbose -t,--tags -n,--dry-run,--no-tags -p,--prune,--porcelain -P,--prune-tags -k,--keep
  -u,--set-upstream,--update-head-ok -d,--delete -j,--jobs=. -4,--ipv4 -6,--ipv6 -o,--push-option,--server-option=. -r,--rebase=?.
  -s,--strategy=. -X,--strategy-option=. -S,--gpg-sign=?. -e,--edit -h,--heads,--branches --depth=. --deepen=. --shallow-since=.
  --shallow-exclude=. --unshallow --update-shallow --refmap=. --multiple --atomic --no-atomic --mirror --force-with-lease=?.
  --no-force-with-lease --force-if-includes --no-force-if-includes --follow-tags --no-follow-tags --signed=?. --thin --no-thin --progress
  --no-progress --no-verify --verify --recurse-submodules=?. --no-recurse-submodules --receive-pack,--exec=x --upload-pack=x --repo=.
  --no-rebase --ff --no-ff --ff-only --commit --no-commit --squash --no-squash --stat --no-stat --log=?. --no-log --signoff --autostash
  --no-autostash --allow-unrelated-histories --no-edit --negotiation-tip=. --negotiate-only --filter=. --refetch --write-fetch-head
  --no-write-fetch-head --set-upstream --show-forced-updates --no-show-forced-updates --auto-maintenance --no-auto-maintenance --auto-gc
  --no-auto-gc --stdin --refs --get-url --sort=. --symref --exit-code --atomic -m --write-commit-graph --no-write-commit-graph --cleanup=.
  --verify-signatures --no-verify-signatures --bundle-uri=. --prefetch --porcelain`;

/** Commands that talk with other repositories. */
export const gitRemote: GitFamily = [
  [
    "clone",
    gitCommand(
      `-l,--local --no-hardlinks -s,--shared --reference=R --reference-if-able=R --dissociate -q,--quiet -v,--verbose --progress
        --server-option=. -n,--no-checkout --reject-shallow --no-reject-shallow --bare --sparse --filter=. --also-filter-submodules --mirror
        -o,--origin=. -b,--branch=. --revision=. -u,--upload-pack=x --template=R -c,--config=. --depth=. --shallow-since=.
        --shallow-exclude=. --single-branch --no-single-branch --tags --no-tags --recurse-submodules,--recursive=?. --shallow-submodules
        --no-shallow-submodules --remote-submodules --no-remote-submodules --separate-git-dir=W --ref-format=. -j,--jobs=. --bundle-uri=.
        -4,--ipv4 -6,--ipv6`,
      clone,
    ),
  ],
  [
    "init init-db",
    gitCommand(
      "-q,--quiet --bare --template=R --separate-git-dir=W --object-format=. --ref-format=. -b,--initial-branch=. --shared=?.",
      init,
    ),
  ],
  [
    "submodule",
    gitCommand(
      `-q,--quiet -b,--branch=. -f,--force --name=. --reference=R --depth=. --init --remote -N,--no-fetch --checkout --merge --rebase
        --recursive --recommend-shallow --no-recommend-shallow --single-branch --no-single-branch --filter=. -j,--jobs=. --progress --cached
        --files --all --default`,
      submodule,
    ),
  ],
  [
    "fetch fetch-pack",
    gitCommand(transfer, (parsed, repo) => {
      reachRepository(parsed.operands[0], repo, false);
      changeData(repo);
    }),
  ],
  [
    "push send-pack",
    gitCommand(transfer, (parsed, repo) => {
      const to = valueOf(parsed, "--repo") ?? parsed.operands[0];
      reachRepository(to, repo, false);
      // A repository in a folder takes the commits.
      const text = spelling(to)?.replace(/^file:\/\/[^/]*/i, "");
      if (text !== undefined && text.includes("/") && remotePlace(text) === undefined) repo.at.writeTree(literal(text));
      changeData(repo);
    }),
  ],
  [
    "pull",
    gitCommand(transfer, (parsed, repo) => {
      reachRepository(parsed.operands[0], repo, false);
      changeTree(repo);
    }),
  ],
  ["ls-remote", gitCommand(transfer, (parsed, repo) => reachRepository(parsed.operands[0], repo, false))],
  [
    "remote",
    gitCommand(
      "-v,--verbose -f,--fetch -t=. -m=. --tags --no-tags --mirror=?. -n -p,--prune -a,--auto -d,--delete --push --all --add --progress",
      remote,
    ),
  ],
  [
    "archive",
    gitCommand(
      "-o,--output=u --format=. -l,--list -v,--verbose --prefix=. --add-file=r --add-virtual-file=. --worktree-attributes --mtime=. --remote=. --exec=x -#",
      archive,
    ),
  ],
  ["send-email imap-send", unseenGit("it sends mail by a configured program")],
];
