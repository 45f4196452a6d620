import { isInside } from "../../../model/absolute-path.ts";
import type { Word } from "../simple-command.ts";
import type { Collector } from "./collector.ts";
import { findGitCommand } from "./git-commands.ts";
import { isDangerousSetting } from "./git-config.ts";
import type { Repo } from "./git-repo.ts";
import type { Call, Family, Program } from "./program.ts";
import { dropHead, headOf, inFolder, isAbsolute, literal, shown, textOf } from "./words.ts";

const plain =
  /^(-P|--no-pager|--no-replace-objects|--bare|--no-optional-locks|--no-lazy-fetch|--no-advice|--(literal|glob|noglob|icase)-pathspecs|-v|--version|-h|--help|--html-path|--man-path|--info-path|--exec-path|--list-cmds=.*|--namespace=.*|--attr-source=.*)$/;

/** git(1): options before the command, then the command's own. */
const git: Program = {
  run(call) {
    const globals = readGlobals(call);
    const [verb, ...args] = globals.rest;
    if (verb === undefined) return;
    const name = textOf(verb) ?? "";
    const command = findGitCommand(name);
    if (command === undefined)
      call.out.opaque(`git ${shown(verb)} is not a command of git: it may be an alias or a program`);
    else {
      if (shows.test(name)) nameFiles(args, globals.repo);
      command({ ...call, args, name: `git ${name}` }, globals.repo);
    }
  },
};

/** Commands that show what is in files, or in what the repository keeps of them. */
const shows =
  /^(diff|difftool|log|show|blame|annotate|grep|ls-files|ls-tree|archive|cat-file|checkout|restore|stash|format-patch|rev-list|shortlog|whatchanged|status|check-ignore|diff-files|diff-index|diff-tree|range-diff|hash-object|rm|mv|add|bundle|worktree|sparse-checkout)$/;

/** Options of these commands whose next word is no file. */
const textual =
  /^(-[nSGLUlmeAbBC]|--(since|after|until|before|author|committer|grep|max-count|skip|format|pretty|date|diff-filter|message|prefix|remote))$/;

/** Files among their words: paths, and what is behind the colon of `REVISION:PATH`. Which word is a revision cannot be told, so each may be a file. */
function nameFiles(args: readonly Word[], { at }: Repo): void {
  args.forEach((word, index) => {
    const head = headOf(word);
    if (textual.test(textOf(args[index - 1]) ?? "")) return;
    const start = head.startsWith("-") ? head.indexOf("=") + 1 : head.indexOf(":") + 1;
    if (!head.startsWith("-")) at.suppose(word);
    if (start > 0) at.suppose(dropHead(word, start));
  });
}

interface Globals {
  readonly repo: Repo;
  readonly rest: readonly Word[];
}

function readGlobals(call: Call): Globals {
  const { args, out } = call;
  let at = out;
  let gitDir: Word = literal(".git");
  let workTree: Word = literal(".");
  let index = 0;
  for (; index < args.length; index += 1) {
    const word = args[index];
    if (word === undefined || !headOf(word).startsWith("-")) break;
    const head = headOf(word);
    const name = /^(-[A-Za-z]$|--[^=]*)/.exec(head)?.[0] ?? head;
    const next = args[index + 1];
    const value = head.includes("=") ? dropHead(word, head.indexOf("=") + 1) : next;
    if (
      /^(-C|-c|--git-dir|--work-tree|--namespace|--config-env|--attr-source|--super-prefix)$/.test(name) &&
      !head.includes("=")
    )
      index += 1;
    if (value !== undefined && name === "-C") at = textOf(value) === "" ? at : at.inside(value);
    else if (value !== undefined && name === "-c") checkSetting(value, out);
    else if (value !== undefined && name === "--git-dir") gitDir = value;
    else if (value !== undefined && name === "--work-tree") workTree = value;
    else if (name === "--config-env") out.opaque("git --config-env takes settings from the environment", "environment");
    else if (name === "--exec-path" && head.includes("="))
      out.opaque("git --exec-path takes git's own programs from another folder", "environment");
    else if (name === "-p" || name === "--paginate") out.opaque("git -p starts the configured pager");
    else if (!plain.test(head) && name !== "--namespace" && name !== "--attr-source")
      out.opaque(`git: what ${head} does is not known`);
  }
  return { repo: placed(at, gitDir, workTree), rest: args.slice(index) };
}

/** With a work tree elsewhere, git starts in it; the git folder stays relative to where git was called. */
function placed(at: Collector, gitDir: Word, workTree: Word): Repo {
  const tree = at.inside(workTree);
  const holds = at.cwds.every((cwd) => tree.cwds.some((root) => isInside(root, cwd)));
  if (holds) return { at, gitDir, workTree };
  const [start] = at.cwds;
  const absolute = isAbsolute(gitDir) || start === undefined ? gitDir : inFolder(literal(start), gitDir);
  return { at: tree, gitDir: absolute, workTree: literal(".") };
}

function checkSetting(value: Word, out: Call["out"]): void {
  const setting = textOf(value);
  if (setting === undefined || isDangerousSetting(setting))
    out.opaque(`git -c ${shown(value)} changes what git runs or obeys`, "environment");
}

/** git and what starts it under another name. */
export const gits: Family = [["git", git]];
