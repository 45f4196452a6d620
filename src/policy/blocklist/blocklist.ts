import { parseAbsolutePath, rootPath, type AbsolutePath } from "../../model/absolute-path.ts";
import type { Facts } from "../../model/facts.ts";
import type { Rule } from "../../model/rule.ts";
import { analyseShell } from "../shell/analyse-shell.ts";
import type { ShellAnalysis } from "../shell/shell-analysis.ts";
import { analyseWindows } from "../windows/analyse-windows.ts";
import { windowsEntries } from "../windows/windows-entries.ts";
import { bashEntries } from "./entries.ts";
import type { BlocklistEntry, Example } from "./entry.ts";
import { entryRule } from "./match-command.ts";

/** What nothing lifts, checked. */
export interface Blocklist {
  /** One rule for each entry, for all shells. */
  readonly rules: readonly Rule[];
}

/**
 * Loads the blocklist and tries its examples.
 * @throws Error where it is empty, an entry has no examples or the same name as another, or an example does not hold: then nothing may start.
 */
export function loadBlocklist(entries: readonly BlocklistEntry[] = [...bashEntries, ...windowsEntries]): Blocklist {
  const faults = entries.length === 0 ? ["it is empty"] : entries.flatMap((entry) => entryFaults(entry, entries));
  if (faults.length > 0) throw new Error(`the blocklist does not hold: ${faults.join("; ")}`);
  return { rules: entries.map(entryRule) };
}

function entryFaults(entry: BlocklistEntry, entries: readonly BlocklistEntry[]): string[] {
  const { id, because, match, hits, misses } = entry;
  const faults: string[] = [];
  if (entries.filter((other) => other.id === id).length > 1) faults.push(`${id} is there twice`);
  if (because === "" || match.length === 0) faults.push(`${id} gives no reason or no pattern`);
  if (hits.length === 0 || misses.length === 0) faults.push(`${id} has no examples`);
  for (const example of hits) if (!hasHit(id, example)) faults.push(`${id} misses ${JSON.stringify(example.text)}`);
  for (const example of misses) if (hasHit(id, example)) faults.push(`${id} hits ${JSON.stringify(example.text)}`);
  return faults;
}

function hasHit(id: string, example: Example): boolean {
  return analyseExample(example).blocked.some(({ rule }) => rule.id === `blocklist.${id}`);
}

function analyseExample({ shell, text }: Example): ShellAnalysis {
  const world = { cwd: folder("/work"), facts: exampleFacts() };
  return shell === "bash" ? analyseShell(text, world) : analyseWindows(text, shell, { home: "C:\\Users\\u", ...world });
}

/** The small machine on which the examples hold: user u, no links. */
function exampleFacts(): Facts {
  const home = folder("/home/u");
  return {
    locate: (path) => ({ real: path, kind: "missing" }),
    entries: () => [],
    homes: [home],
    home,
    user: "u",
    homeOf: (user) => (user === "u" ? home : undefined),
    internalHost: () => undefined,
    own: [],
  };
}

function folder(text: string): AbsolutePath {
  return parseAbsolutePath(text) ?? rootPath;
}
