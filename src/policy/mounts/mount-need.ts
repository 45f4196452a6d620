import { type AbsolutePath, parentOf } from "../../model/absolute-path.ts";
import type { Opening } from "../../model/decision.ts";
import type { PathEffect } from "../../model/effect.ts";
import { exhausted } from "../../model/exhausted.ts";
import type { Facts, Located } from "../../model/facts.ts";
import { effectShape, fixedPart } from "../rules/path-pattern.ts";
import { type BroadWorld, isSystemPlace, sandboxTmp, whyTooBroad } from "./broad-place.ts";

/** What a sandbox must show so that a command can do what was judged. */
export type MountNeed =
  /** Nothing: the sandbox's own is meant, or there is nothing. `because` says why, where a person would expect this machine's. */
  | { readonly kind: "none"; readonly because?: string }
  | ({ readonly kind: "mount" } & Opening)
  /** No mount can serve it. */
  | { readonly kind: "refuse"; readonly because: string };

/** What needs are found with. */
export interface NeedWorld extends BroadWorld {
  readonly facts: Facts;
}

/** What a path effect outside the session's folders needs. @throws what Facts throw. */
export function mountNeed(effect: PathEffect, world: NeedWorld): MountNeed {
  const fixed = fixedPart(effect);
  if (isSystemPlace(fixed)) return { kind: "none", because: `${fixed} is the sandbox's own there, not this machine's` };
  const there = lookAt(fixed, world.facts);
  if (there === "other") return { kind: "refuse", because: `${fixed} is neither a folder nor a file` };
  switch (effect.kind) {
    case "read":
      return there === "missing" ? { kind: "none" } : show(fixed, "ro", there, world);
    case "write":
      if (there === "missing") return create(fixed, effect.exact, world);
      return effect.exact ? show(fixed, "rw", there, world) : change(fixed, `what is below ${fixed}`, world);
    case "delete":
      return there === "missing" ? { kind: "none" } : change(holderOf(effect, fixed), fixed, world);
    default:
      return exhausted(effect.kind);
  }
}

/** What exists is shown, unless it is too broad: then the command sees what the sandbox has there. */
function show(path: AbsolutePath, access: "ro" | "rw", there: "file" | "folder", world: NeedWorld): MountNeed {
  const broad = whyTooBroad(path, world);
  return broad === undefined
    ? { kind: "mount", root: path, access, whole: there === "folder" }
    : { kind: "none", because: `${path} is never mounted, because ${broad}: the command sees the sandbox's own` };
}

/**
 * What tools keep in a home to be faster the next time. Where this machine has none, the sandbox's own home will do: nothing is lost with it that anybody would look for. Under
 * any other name it would be.
 */
const caches =
  /^\.(?:npm|cache|yarn|pnpm-store|bun|deno|gradle|m2|nuget|cargo|rustup|gem|bundle|composer|conda|ivy2|sbt|node-gyp|electron)(?:\/|$)/;

/** To make `path`, the nearest folder that is there must be writable. */
function create(path: AbsolutePath, exact: boolean, world: NeedWorld): MountNeed {
  let folder = parentOf(path);
  let there = lookAt(folder, world.facts);
  while (there === "missing" && folder !== "/") {
    folder = parentOf(folder);
    there = lookAt(folder, world.facts);
  }
  if (!exact && world.homes.includes(folder) && caches.test(path.slice(folder.length + 1)))
    return { kind: "none", because: `${path} is not there: the command has one of its own in the sandbox's home` };
  // Below a file nothing can be made; the command will say so.
  return there === "folder" ? change(folder, path, world) : { kind: "none" };
}

/** All of a folder is made writable for the sake of `what`, or the request is refused: what is written elsewhere would be lost. */
function change(folder: AbsolutePath, what: string, world: NeedWorld): MountNeed {
  if (folder === sandboxTmp) return { kind: "none", because: `${sandboxTmp} is the sandbox's own` };
  const broad = isSystemPlace(folder) ? "it is part of the system" : whyTooBroad(folder, world);
  if (broad === undefined) return { kind: "mount", root: folder, access: "rw", whole: true };
  return {
    kind: "refuse",
    because: `for ${what}, ${folder} would have to be writable, and it is never mounted: ${broad}`,
  };
}

/** The folder whose entry goes away: a tree goes with its own name, a pattern takes what is in its fixed part. */
function holderOf({ path, exact }: PathEffect, fixed: AbsolutePath): AbsolutePath {
  const tree = exact || effectShape(path, exact).components.every(({ kind }) => kind === "literal" || kind === "rest");
  return tree ? parentOf(fixed) : fixed;
}

/** @throws where a link leads elsewhere since the path was judged. */
function lookAt(path: AbsolutePath, facts: Facts): Located["kind"] {
  const { real, kind } = facts.locate(path);
  if (real !== path) throw new Error(`a link leads elsewhere since ${path} was looked at`);
  return kind;
}
