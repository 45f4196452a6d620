import { readdirSync, readFileSync } from "node:fs";
import type { ShellName } from "../../src/model/intent.ts";

const folder = new URL("../corpus/shell/", import.meta.url);

/** Every text of the corpus for one shell. @throws Error where there is none: then there would be nothing to mutate. */
export function corpusTexts(shell: ShellName): [string, ...string[]] {
  const rows = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(new URL(name, folder), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line): { readonly cmd: string; readonly shell: string } => JSON.parse(line));
  const [first, ...others] = new Set(rows.filter((row) => row.shell === shell).map(({ cmd }) => cmd));
  if (first === undefined) throw new Error(`the corpus has no text for ${shell}`);
  return [first, ...others];
}
