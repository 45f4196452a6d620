import { type AbsolutePath, parseAbsolutePath } from "../model/absolute-path.ts";
import type { Effect, PathEffect } from "../model/effect.ts";
import type { Facts } from "../model/facts.ts";
import { invalid } from "../model/problem.ts";
import type { Blocked } from "./decide.ts";
import { entryPlace } from "./entry-place.ts";
import { hardcodedRule } from "./hardcoded-rule.ts";
import { linkedPlaces, type LookWorld, TooManyPlaces } from "./linked-places.ts";
import { capabilityOf, isPathEffect } from "./rules/capability.ts";
import { escapeGlob } from "./rules/escape-glob.ts";
import { fixedPart } from "./rules/path-pattern.ts";

/** Effects with links followed, and those whose path nobody can follow: these are refused. */
export interface Located {
  readonly effects: readonly Effect[];
  readonly refused: readonly Blocked[];
}

/**
 * Follows symbolic links on the way of every path effect of a command, and those that its wildcards stand for. What was asked for stays beside it, because both spellings are
 * judged.
 */
export function locateEffects(effects: readonly Effect[], world: LookWorld): Located {
  const found: Effect[] = [];
  const refused: Blocked[] = [];
  for (const effect of effects) {
    if (!isPathEffect(effect)) {
      found.push(effect);
      continue;
    }
    try {
      found.push(...(isOwnProc(effect.path) ? [effect] : locateEffect(effect, world)));
    } catch (cause) {
      const because = `nobody can tell where ${effect.path} leads: ${cause instanceof Error ? cause.message : "unknown failure"}`;
      refused.push({ effect, rule: hardcodedRule("invariant.path", capabilityOf(effect), "deny", because) });
    }
  }
  return { effects: found, refused };
}

/** The same for paths that are only supposed: a name that leads nowhere is left as it is spelled, and patterns are not walked. */
export function locateSupposed(supposed: readonly PathEffect[], facts: Facts): readonly PathEffect[] {
  // What may be read may often be written, too: each path is looked at once.
  const known = new Map<AbsolutePath, AbsolutePath>();
  return supposed.map((effect) => {
    if (!effect.exact || isOwnProc(effect.path)) return effect;
    const real = known.get(effect.path) ?? realOrSame(effect.path, facts);
    known.set(effect.path, real);
    return real === effect.path ? effect : moved(effect, real);
  });
}

function realOrSame(path: AbsolutePath, facts: Facts): AbsolutePath {
  try {
    return facts.locate(path).real;
  } catch {
    return path;
  }
}

/** The effect itself with the links before its first wildcard followed, and what lies behind the links that its wildcards stand for. */
function locateEffect(effect: PathEffect, world: LookWorld): Effect[] {
  const fixed = fixedPart(effect);
  const { real } = world.facts.locate(fixed);
  if (effect.exact) return placesOf(effect, real, world.facts);
  const tail = afterFixed(effect.path, fixed);
  const here =
    real === fixed
      ? [effect]
      : placesFrom(fixed, real, world.facts).map((place) => moved(effect, [escapeGlob(place), ...tail].join("/")));
  try {
    const linked = linkedPlaces(real, tail, world);
    return [...here, ...linked.map(({ path, exact }) => ({ ...moved(effect, path), exact }))];
  } catch (cause) {
    if (!(cause instanceof TooManyPlaces)) throw cause;
    return [
      ...here,
      { kind: "opaque", text: effect.path, why: `nobody looked where it leads: ${cause.message}`, cause: "limit" },
    ];
  }
}

/** An exact effect at the place where its path leads, and at its own. */
export function placesOf(effect: PathEffect, real: AbsolutePath, facts: Facts): PathEffect[] {
  return real === effect.path ? [effect] : placesFrom(effect.path, real, facts).map((place) => moved(effect, place));
}

/**
 * Where a path leads. Many programs take a link itself and not what it leads to (`rm`, `mv`, `ln -n`, `cp -P`): where links lead to its folder, its own place there is one more.
 */
function placesFrom(path: AbsolutePath, real: AbsolutePath, facts: Facts): readonly AbsolutePath[] {
  const own = entryPlace(path, facts);
  if (own === undefined) throw invalid("path", "the resolved path is too long");
  return own === real || own === path ? [real] : [real, own];
}

function moved(effect: PathEffect, to: string): PathEffect {
  const path = parseAbsolutePath(to);
  if (path === undefined) throw invalid("path", "the resolved path is too long");
  return { ...effect, path, spelled: effect.spelled ?? effect.path };
}

/** Links of a procfs that lead out of it (proc(5)). */
const leadsOut: ReadonlySet<string> = new Set(["cwd", "root", "exe", "fd", "map_files"]);

/** True for what a sandbox's own procfs holds, such as `/proc/self/status`: it is not this machine's, so its links are not followed here. */
function isOwnProc(path: AbsolutePath): boolean {
  if (!path.startsWith("/proc/")) return false;
  const rest = path.split("/").slice(2);
  return rest.every((part) => !leadsOut.has(part) && !/[*?[]/.test(part));
}

/** The components of a pattern from its first one with a wildcard. */
function afterFixed(path: string, fixed: string): string[] {
  const depth = fixed === "/" ? 0 : fixed.split("/").length - 1;
  return path.split("/").slice(depth + 1);
}
