import { readFileSync } from "node:fs";
import { exhausted } from "../../../src/model/exhausted.ts";
import type { Effect } from "../../../src/model/effect.ts";
import { analyseShell } from "../../../src/policy/shell/analyse-shell.ts";
import type { ShellAnalysis } from "../../../src/policy/shell/shell-analysis.ts";
import { fakeFacts, path, type FakeDisk } from "../world.ts";

/** One row of the shell corpus. */
export interface Row {
  readonly id: string;
  readonly cmd: string;
  readonly shell: string;
  readonly why: string;
  readonly kind?: string;
  readonly handling?: string;
  readonly expected?: string;
  readonly rule?: string;
}

/** The bash rows of a corpus file. */
export function bashRows(name: string): Row[] {
  const text = readFileSync(new URL(`../../corpus/shell/${name}.jsonl`, import.meta.url), "utf8");
  const rows: Row[] = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return rows.filter(({ shell }) => shell === "bash");
}

/** Analyses a text in the corpus' world. */
export function analyse(text: string, disk?: FakeDisk, cwd = "/work"): ShellAnalysis {
  return analyseShell(text, { cwd: path(cwd), facts: fakeFacts(disk) });
}

/** The ids of the blocklist entries that a text hits. */
export function blockedBy(text: string, disk?: FakeDisk, cwd?: string): string[] {
  return [...new Set(analyse(text, disk, cwd).blocked.map(({ rule }) => rule.id))];
}

/** What a text does, in one line for each effect. */
export function told(text: string, disk?: FakeDisk): string[] {
  return analyse(text, disk).effects.map(tell);
}

/** One effect in words. */
export function tell(effect: Effect): string {
  switch (effect.kind) {
    case "run":
      return `run ${effect.text}${effect.aliases === undefined ? "" : ` in ${effect.aliases.join(" in ")}`}`;
    case "read":
    case "write":
    case "delete":
      return `${effect.kind} ${effect.path}`;
    case "reach":
      return `reach ${effect.host}:${effect.port}`;
    case "use":
      return `use ${effect.name}`;
    case "opaque":
      return `opaque ${effect.cause}: ${effect.why}`;
    default:
      return exhausted(effect);
  }
}
