import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Facts } from "../model/facts.ts";
import type { Rule } from "../model/rule.ts";
import { deniedIn, type Shown } from "./denied-in.ts";

/** Finds what a session's sandbox may only read, because a rule denies writing it; `rules` as in `HiddenPlaces`. */
export type LockedPlaces = (session: Shown, rules: readonly Rule[]) => readonly AbsolutePath[];

/** The real places whose writing is denied. One that does not exist is left out: the decision alone holds there. */
export function createLockedPlaces(facts: Facts): LockedPlaces {
  const unwritten = deniedIn(facts, "fs_write");
  return (session, rules) => [...new Set(unwritten(session, rules).map(({ real }) => real))];
}
