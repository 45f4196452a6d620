import type { Word } from "../simple-command.ts";
import { has, valueOf, type ParsedOptions } from "./parse-options.ts";
import { changeData, type Repo } from "./git-repo.ts";
import type { Call } from "./program.ts";
import { inFolder, literal, textOf } from "./words.ts";

/** Options of git-config(1). */
export const configOptions = `-f,--file=. --blob=. --global --system --local --worktree --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool
  -l,--list --unset --unset-all --add --replace-all --rename-section --remove-section -e,--edit! --type=. --bool --int --bool-or-int
  --bool-or-str --path --expiry-date --no-type -z,--null --name-only --show-origin --show-scope --includes --no-includes --default=.
  --fixed-value --comment=. --all --regexp --value=. --url=. --append --show-names --no-show-names`;

/** Keys that only change how things look or whom a commit names. All others may name programs, files, hosts or change what is run. */
const harmless =
  /^(user\.(name|email|signingkey|useconfigonly)|author\.(name|email)|committer\.(name|email)|color\.[a-z.-]+|column\.[a-z]+|advice\.[a-z]+|init\.defaultbranch|core\.(quotepath|autocrlf|eol|safecrlf|ignorecase|filemode|longpaths|abbrev|precomposeunicode|whitespace|commentchar|logallrefupdates|compression|bigfilethreshold|preloadindex|untrackedcache|symlinks|bare)|commit\.(gpgsign|verbose|cleanup|status)|tag\.(gpgsign|sort)|push\.(default|autosetupremote|followtags)|pull\.(rebase|ff)|fetch\.(prune|prunetags|parallel)|merge\.(conflictstyle|ff|log|renames|renamelimit|stat)|rebase\.(autostash|autosquash|updaterefs|stat|abbreviatecommands)|rerere\.(enabled|autoupdate)|diff\.(algorithm|renames|renamelimit|context|colormoved|colormovedws|mnemonicprefix|noprefix|wserrorhighlight|submodule|statgraphwidth|indentheuristic|interhunkcontext)|log\.(date|decorate|abbrevcommit|follow|showroot|graphcolors|mailmap)|status\.[a-z]+|branch\.(autosetupmerge|autosetuprebase|sort)|branch\..+\.(remote|merge|rebase|description)|blame\.[a-z]+|format\.pretty|gc\.(auto|autodetach|autopacklimit)|pack\.[a-z]+|index\.(version|threads)|help\.autocorrect|http\.(version|postbuffer|lowspeedlimit|lowspeedtime|maxrequests)|protocol\.version|grep\.(linenumber|patterntype|column|extendedregexp)|feature\.[a-z]+|submodule\.(recurse|fetchjobs)|versionsort\..+|apply\.whitespace|stash\.show[a-z]+|checkout\.(defaultremote|guess|workers)|transfer\.(fsckobjects|unpacklimit)|receive\.(fsckobjects|denycurrentbranch))$/i;

/** Keys that are harmless with the value that switches them off. */
const switchedOff =
  /^(core\.(fsmonitor|pager|hookspath|editor)|diff\.external|credential\.helper|gpg\.program|pager\.[a-z]+)=(false|0|off|no|cat|true|:|\/dev\/null|)$/i;

/** True where `-c key=value` or a key that is set can make git run a program or obey another file. */
export function isDangerousSetting(setting: string): boolean {
  const key = setting.split("=")[0] ?? "";
  return !harmless.test(key) && !switchedOff.test(setting);
}

const reading = ["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool", "-l"];
const removing = ["--unset", "--unset-all", "--rename-section", "--remove-section"];

/** git-config(1), the old form with flags and the new one with verbs. */
export function gitConfig(parsed: ParsedOptions, repo: Repo, { out, name }: Call): void {
  const [first, ...rest] = parsed.operands;
  const verb = /^(set|get|list|unset|edit|rename-section|remove-section)$/.exec(textOf(first) ?? "")?.[0];
  const operands = verb === undefined ? parsed.operands : rest;
  const file = valueOf(parsed, "-f");
  if (verb === "edit") out.opaque(`${name} config edit starts an editor`);
  if (verb === "get" || verb === "list" || has(parsed, ...reading))
    return file === undefined ? undefined : repo.at.read(file);
  const removes = has(parsed, ...removing) || (verb !== undefined && verb !== "set");
  if (!removes && !has(parsed, "-e", "--add", "--replace-all") && verb === undefined && operands.length < 2) {
    return file === undefined ? undefined : repo.at.read(file);
  }
  for (const target of targets(parsed, file, out.home)) repo.at.write(target);
  if (file === undefined && !has(parsed, "--global", "--system")) changeData(repo);
  const key = operands[0] === undefined ? undefined : textOf(operands[0]);
  const setting = `${key ?? ""}=${textOf(operands[1]) ?? "?"}`;
  // Another file is only a file, unless its name is one that git obeys.
  const obeyed = file === undefined || /(^|[/.])git(config|modules|attributes)?(\/|$)/.test(textOf(file) ?? ".git");
  if (obeyed && !removes && !has(parsed, "-e") && isDangerousSetting(setting))
    out.opaque(`git config ${key ?? "…"} changes what later git commands run or obey`, "environment");
}

function targets(parsed: ParsedOptions, file: Word | undefined, home: string): readonly Word[] {
  if (file !== undefined) return [file];
  if (has(parsed, "--global"))
    return [inFolder(literal(home), literal(".gitconfig")), inFolder(literal(home), literal(".config/git/config"))];
  return has(parsed, "--system") ? [literal("/etc/gitconfig")] : [];
}
