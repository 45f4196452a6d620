import { type AbsolutePath, isInside } from "../model/absolute-path.ts";
import type { Facts } from "../model/facts.ts";
import type { Rule } from "../model/rule.ts";
import type { GuardedPlace, SandboxSpec } from "../model/runtime.ts";
import { deniedIn, type Shown } from "./denied-in.ts";

/** Finds what a session's sandbox may only read, because a rule denies writing it; `rules` as in `HiddenPlaces`. */
export type LockedPlaces = (session: Shown, rules: readonly Rule[]) => readonly AbsolutePath[];

/** The real places whose writing is denied. One that does not exist is left out: the decision alone holds there. */
export function createLockedPlaces(facts: Facts): LockedPlaces {
  const unwritten = deniedIn(facts, "fs_write");
  return (session, rules) => [...new Set(unwritten(session, rules).map(({ real }) => real))];
}

/** Scopes and guarded places with the locked ones among them: nothing settles a deny, so no grant makes them writable. */
export function lock(
  locked: readonly AbsolutePath[],
  { scopes, guarded }: Pick<SandboxSpec, "scopes"> & { readonly guarded: readonly GuardedPlace[] },
): Pick<SandboxSpec, "scopes" | "guarded"> {
  if (locked.length === 0) return { scopes, guarded };
  const known = new Set(guarded.map(({ path }) => path));
  return {
    scopes: scopes.map((scope) =>
      locked.some((place) => isInside(place, scope.root)) ? { ...scope, access: "ro" as const } : scope,
    ),
    guarded: [...guarded, ...locked.filter((path) => !known.has(path)).map((path) => ({ path, hold: undefined }))],
  };
}
