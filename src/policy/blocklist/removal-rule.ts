import { type AbsolutePath, rootPath } from "../../model/absolute-path.ts";
import type { Facts } from "../../model/facts.ts";
import type { Rule } from "../../model/rule.ts";
import { bashEntries } from "./entries.ts";
import { entryRule } from "./match-command.ts";
import { namesProtected } from "./protected-folders.ts";

/** The entry that forbids removing a folder with all it holds, as it forbids `rm -r`; undefined where none does. */
export function removalRule(path: AbsolutePath, facts: Facts): Rule | undefined {
  const entry = bashEntries.find(({ id }) => id === "recursive-delete");
  if (entry === undefined) throw new Error("the blocklist has no entry for recursive deletes");
  const world = { homes: [facts.home, ...facts.homes], real: (asked: AbsolutePath) => realOf(asked, facts) };
  return namesProtected({ kind: "literal", value: path }, [rootPath], world) ? entryRule(entry) : undefined;
}

function realOf(path: AbsolutePath, facts: Facts): AbsolutePath | undefined {
  try {
    return facts.locate(path).real;
  } catch {
    return undefined;
  }
}
