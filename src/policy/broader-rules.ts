import type { Rule, RuleDraft } from "../model/rule.ts";
import type { Capability } from "../model/effect.ts";

/** A rule that could stand for several. */
export interface BroaderRule {
  readonly draft: RuleDraft;
  readonly replaces: readonly Rule[];
}

/** Rules that must say nearly the same before a broader one is proposed. */
const least = 3;

/**
 * Programs that run, delete or move what their words name: with these each word counts, and a person who said yes to three of them has not said yes to the fourth. Of
 * package managers and the like a subcommand may be kept and the rest left open.
 */
const wordForWord: ReadonlySet<string> = new Set(
  `. awk bash busybox chmod chown chroot command cp dash dd deno doas docker dpkg env eval exec expect find fish gdb install kill ksh ln lua
  make mkfs mount mv nice node nohup nsenter perl php pkexec podman powershell pwsh python rm rmdir rsync ruby runuser scp script sed setsid sh shred
  socat source ssh stdbuf strace su sudo systemctl tar tee time timeout tmux trap truncate unshare unzip watch xargs zsh`.split(
    /\s+/,
  ),
);
const needSubcommand: ReadonlySet<string> = new Set(
  `apk apt apt-get brew bun bundle cargo composer dnf gem git go helm kubectl npm npx pip pip3 pipx pnpm poetry terraform uv yarn yum`.split(
    " ",
  ),
);
/** Subcommands that run whatever follows. */
const runners: ReadonlySet<string> = new Set(["dlx", "exec", "run", "x", "shell", "tool"]);

/** Broader rules for allowing ones that say nearly the same, the one that stands for most first. Only rules with one pattern and no exception are looked at. */
export function broaderRules(rules: readonly Rule[]): readonly BroaderRule[] {
  const groups = new Map<string, { readonly draft: RuleDraft; readonly replaces: Rule[] }>();
  for (const rule of rules) {
    const [match, ...more] = rule.match;
    if (rule.effect !== "allow" || match === undefined || more.length > 0) continue;
    if (rule.exclude.length > 0 || rule.methods !== undefined) continue;
    const draft = broader(rule.capability, match);
    if (draft === undefined || draft.match === match) continue;
    const key = `${draft.capability} ${draft.match}`;
    const group = groups.get(key) ?? { draft, replaces: [] };
    group.replaces.push(rule);
    groups.set(key, group);
  }
  return [...groups.values()]
    .filter(({ replaces }) => replaces.length >= least)
    .toSorted((a, b) => b.replaces.length - a.replaces.length);
}

function broader(capability: Rule["capability"], match: string): RuleDraft | undefined {
  switch (capability) {
    case "shell":
      return draftOf(capability, commandPattern(match));
    case "fs_read":
    case "fs_write":
      return draftOf(capability, folderPattern(match));
    case "web_fetch":
    case "sandbox_network":
      return draftOf(capability, hostPattern(match));
    default:
      return undefined;
  }
}

function draftOf(capability: Capability, match: string | undefined): RuleDraft | undefined {
  return match === undefined ? undefined : { capability, match, effect: "allow" };
}

/** The program, or the program with its subcommand, and anything after it. */
function commandPattern(match: string): string | undefined {
  const [program, second] = match.split(" ");
  if (program === undefined || !/^[\w][\w.+-]*$/.test(program) || second === undefined || second === "*")
    return undefined;
  if (wordForWord.has(program) || /^(python|perl|ruby|node|lua|php)[\d.]*$/.test(program)) return undefined;
  if (!needSubcommand.has(program)) return `${program} *`;
  return /^[a-z][\w-]*$/.test(second) && !runners.has(second) && match.split(" ").length > 2
    ? `${program} ${second} *`
    : undefined;
}

/** The folder that a file lies in, which stands for everything below it; none of the broad ones near the root. */
function folderPattern(match: string): string | undefined {
  if (!match.startsWith("/")) return undefined;
  const folder = match.slice(0, match.lastIndexOf("/"));
  return folder.split("/").length > 4 ? folder : undefined;
}

/** All hosts of one domain; of a country's domain three labels must stay, because two may be everybody's. */
function hostPattern(match: string): string | undefined {
  const [, host = "", port = ""] = /^([a-z0-9.-]+?)(:\d+)?$/.exec(match) ?? [];
  const labels = host.split(".");
  const kept = labels.slice(1);
  const least = (labels.at(-1)?.length ?? 0) === 2 ? 3 : 2;
  if (kept.length < least || /^\d+$/.test(labels.at(-1) ?? "")) return undefined;
  return `*.${kept.join(".")}${port}`;
}
