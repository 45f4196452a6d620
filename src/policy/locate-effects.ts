import { type AbsolutePath, parseAbsolutePath } from "../model/absolute-path.ts";
import type { Effect, PathEffect } from "../model/effect.ts";
import type { Facts } from "../model/facts.ts";
import type { Blocked } from "./decide.ts";
import { hardcodedRule } from "./hardcoded-rule.ts";
import { capabilityOf, isPathEffect } from "./rules/capability.ts";
import { effectShape } from "./rules/path-pattern.ts";

/** Effects with links followed, and those whose path nobody can follow: these are refused. */
export interface Located {
  readonly effects: readonly Effect[];
  readonly refused: readonly Blocked[];
}

/**
 * Follows symbolic links on the way of every path effect of a command. What was asked for stays beside it, because both spellings are
 * judged.
 */
export function locateEffects(effects: readonly Effect[], facts: Facts): Located {
  const found: Effect[] = [];
  const refused: Blocked[] = [];
  for (const effect of effects) {
    if (!isPathEffect(effect)) {
      found.push(effect);
      continue;
    }
    try {
      found.push(isOwnProc(effect.path) ? effect : locateEffect(effect, facts));
    } catch (cause) {
      const because = `nobody can tell where ${effect.path} leads: ${cause instanceof Error ? cause.message : "unknown failure"}`;
      refused.push({ effect, rule: hardcodedRule("invariant.path", capabilityOf(effect), "deny", because) });
    }
  }
  return { effects: found, refused };
}

function locateEffect(effect: PathEffect, facts: Facts): PathEffect {
  const { fixed } = effectShape(effect.path, effect.exact);
  const { real } = facts.locate(fixed);
  if (real === fixed) return effect;
  const tail = effect.exact ? "" : afterFixed(effect.path, fixed);
  const path = parseAbsolutePath(`${real}${tail}`);
  if (path === undefined) throw new RangeError("the resolved path is too long");
  return { ...effect, path, spelled: effect.spelled ?? effect.path };
}

/** Links of a procfs that lead out of it (proc(5)). */
const leadsOut: ReadonlySet<string> = new Set(["cwd", "root", "exe", "fd", "map_files"]);

/** True for what a sandbox's own procfs holds, such as `/proc/self/status`: it is not this machine's, so its links are not followed here. */
function isOwnProc(path: AbsolutePath): boolean {
  const [first, ...rest] = path.split("/").slice(1);
  return first === "proc" && rest.length > 0 && rest.every((part) => !leadsOut.has(part) && !/[*?[]/.test(part));
}

/** The rest of a pattern, from its first component with a wildcard. */
function afterFixed(path: string, fixed: string): string {
  const depth = fixed === "/" ? 0 : fixed.split("/").length - 1;
  const rest = path.split("/").slice(depth + 1);
  return rest.length === 0 ? "" : `/${rest.join("/")}`;
}
