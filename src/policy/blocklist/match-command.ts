import type { Rule } from "../../model/rule.ts";
import { textOf } from "../shell/programs/words.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import type { BlockWorld } from "./block-world.ts";
import { bashEntries } from "./entries.ts";
import type { BlocklistEntry } from "./entry.ts";

/** The entries that forbid a bash command. */
export function matchCommand(command: SimpleCommand, world: BlockWorld): readonly Rule[] {
  const path = textOf(command.argv[0]) ?? "";
  const name = path.slice(path.lastIndexOf("/") + 1);
  return bashEntries.filter((entry) => entry.forbids?.(name, command, world) === true).map(entryRule);
}

/** The entry for texts that start themselves without end. */
export function forkBombRule(): Rule {
  const entry = bashEntries.find(({ id }) => id === "fork-bomb");
  if (entry === undefined) throw new Error("the blocklist has no entry for fork bombs");
  return entryRule(entry);
}

/** An entry as the rule that findings show. */
export function entryRule({ id, because, match, hits, misses }: BlocklistEntry): Rule {
  return {
    id: `blocklist.${id}`,
    source: "hardcoded",
    capability: "shell",
    match,
    exclude: [],
    effect: "deny",
    because,
    examples: { hits: hits.map(({ text }) => text), misses: misses.map(({ text }) => text) },
  };
}
