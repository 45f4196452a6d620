import { gitChanging } from "./git-changing.ts";
import type { GitCommand } from "./git-command.ts";
import { gitReading } from "./git-reading.ts";
import { gitRemote } from "./git-remote.ts";

/** The command of that name; undefined where git has none of its own (an alias, or a program called `git-NAME`). */
export function findGitCommand(name: string): GitCommand | undefined {
  for (const family of [gitReading, gitChanging, gitRemote]) {
    const found = family.find(([names]) => names.split(/\s+/).includes(name));
    if (found !== undefined) return found[1];
  }
  return undefined;
}
