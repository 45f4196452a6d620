import { type AbsolutePath, isInside } from "../model/absolute-path.ts";
import type { Facts } from "../model/facts.ts";
import type { Rule } from "../model/rule.ts";
import { deniedIn, type Shown } from "./denied-in.ts";

/** Finds what a session's sandbox must not show; `rules` are those of its files, the same list until one of them changes. */
export type HiddenPlaces = (session: Shown, rules: readonly Rule[]) => readonly AbsolutePath[];

/**
 * Sallyport's own folders, and the places in a session's scopes whose reading is denied. A place that does not exist is left out: to hide it, it would have to
 * be made.
 */
export function createHiddenPlaces(facts: Facts): HiddenPlaces {
  const unread = deniedIn(facts, "fs_read");
  return (session, rules) => {
    const hidden = unread(session, rules).flatMap(({ place, real }) =>
      [place, real].filter((path) => session.scopes.some(({ root }) => path !== root && isInside(root, path))),
    );
    return [...new Set([...facts.own, ...hidden])];
  };
}
