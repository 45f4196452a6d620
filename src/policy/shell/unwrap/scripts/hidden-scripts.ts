import { fedTo } from "../../builtins/texts.ts";
import { textOf } from "../../programs/words.ts";
import type { Invocation } from "../../walk/invocation.ts";
import { onlyChecking, opaque, type Walk } from "../../walk/walk.ts";
import { runScriptText } from "../script-word.ts";
import { copyScripts, rsyncScripts, tarScripts, zipScripts } from "./archive-scripts.ts";
import { gitScripts } from "./git-scripts.ts";
import { findAll, optionValues } from "./option-values.ts";
import {
  appleScripts,
  awkScripts,
  cmakeScripts,
  databaseScripts,
  debuggerScripts,
  editorScripts,
  foundScripts,
  makeScripts,
  manScripts,
  pagerScripts,
  sedScripts,
  tclScripts,
} from "./tool-scripts.ts";

/** What a program is given: its words, what process substitutions among them hold, and its input. */
interface Given {
  readonly words: readonly string[];
  readonly contents: readonly string[];
  readonly fed: string;
}

type Finder = (given: Given) => readonly string[];

const families: readonly (readonly [names: string, finder: Finder])[] = [
  ["git", ({ words }) => gitScripts(words)],
  ["at batch", ({ fed, contents }) => [fed, ...contents]],
  ["tar gtar bsdtar", ({ words }) => tarScripts(words)],
  ["zip", ({ words }) => zipScripts(words)],
  ["cpio", ({ words }) => optionValues(words, { long: ["rsh-command"] })],
  ["split gsplit", ({ words }) => optionValues(words, { long: ["filter"] })],
  ["crontab", ({ contents, fed }) => [fed, ...contents].flatMap(crontabScripts)],
  ["rsync", ({ words }) => rsyncScripts(words)],
  ["scp sftp", ({ words }) => copyScripts(words)],
  ["make gmake", ({ words, contents, fed }) => makeScripts(words, [...contents, fed])],
  ["cmake", ({ contents }) => cmakeScripts(contents)],
  [
    "awk gawk mawk nawk",
    ({ words, contents, fed }) => awkScripts([...words, ...contents, ...(readsProgram(words) ? [fed] : [])]),
  ],
  ["sed gsed", ({ words, contents }) => sedScripts([...words, ...contents])],
  ["vim vi nvim ex ed red view vimdiff gvim", ({ words, fed }) => editorScripts([...words, fed])],
  ["less more most pg", ({ words }) => pagerScripts(words)],
  ["man", ({ words }) => manScripts(words)],
  ["sqlite3", ({ words, fed }) => databaseScripts("sqlite3", words, fed)],
  ["psql", ({ words, fed }) => databaseScripts("psql", words, fed)],
  ["mysql mariadb", ({ words, fed }) => databaseScripts("mysql", words, fed)],
  ["expect tclsh wish", ({ words, contents, fed }) => tclScripts([...words, ...contents, fed])],
  ["osascript", ({ words, fed }) => appleScripts([...words, fed])],
  ["gdb lldb", ({ words, fed }) => debuggerScripts(words, fed)],
  ["fd fdfind", ({ words }) => foundScripts(words)],
  ["npm", ({ words }) => optionValues(words, { long: ["script-shell", "shell", "node-options"] })],
  ["wget", ({ words }) => optionValues(words, { long: ["use-askpass"] })],
  ["rg", ({ words }) => optionValues(words, { long: ["pre", "hostname-bin"] })],
  ["sort gsort", ({ words }) => optionValues(words, { long: ["compress-program"] })],
];

const finders: ReadonlyMap<string, Finder> = new Map(
  families.flatMap(([names, finder]) => names.split(" ").map((name) => [name, finder] as const)),
);

/** Programs that are looked at. */
export const scriptPrograms: readonly string[] = [...finders.keys()];

/** Scripts of one command that are read one by one; what is left is read as one. */
const mostScripts = 64;

/** Scripts that well-known programs take among their words or from their input. The program's own row says that it asks; here only the blocklist looks. */
export function checkHiddenScripts(name: string, call: Invocation, walk: Walk): void {
  const finder = finders.get(name);
  if (finder === undefined) return;
  const args = call.argv.slice(1);
  const scripts = finder({
    words: args.map((word) => textOf(word) ?? ""),
    contents: args.flatMap((word) => (word.kind === "dynamic" ? (word.contents ?? []) : [])),
    fed: fedTo(call.state) ?? "",
  });
  if (scripts.length === 0) return;
  const inner: Invocation = { ...call, wrappers: [...call.wrappers, call.argv], external: true };
  const checking = onlyChecking(walk);
  for (const script of scripts.slice(0, mostScripts)) runScript(script, inner, checking);
  if (scripts.length <= mostScripts) return;
  opaque(walk, name, "more scripts among its words than are looked at one by one", "unread");
  runScript(scripts.slice(mostScripts).join("\n"), inner, checking);
}

function runScript(script: string, inner: Invocation, walk: Walk): void {
  if (script.trim() !== "") runScriptText(script, true, inner, walk);
}

/** The commands of a table for cron, behind five times or a word such as `@daily` (crontab(5)). */
function crontabScripts(text: string): string[] {
  return findAll([text], /^[ \t]*(?:@\w+|(?:[\w*,/-]+[ \t]+){4}[\w*,/-]+)[ \t]+([^\n]*)/gm);
}

/** `-f -`: the program text comes from standard input. */
function readsProgram(words: readonly string[]): boolean {
  return (
    words.some((word, at) => /^(-f|--file)$/.test(word) && /^(-|\/dev\/stdin)$/.test(words[at + 1] ?? "")) ||
    words.includes("-f-")
  );
}
