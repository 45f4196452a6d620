import type { Expansion } from "../expand/expansion.ts";
import { forgetting, type ShellState } from "../state/shell-state.ts";
import { reportsSet } from "./reports-set.ts";

/** The state after an expansion set variables: their values are not known, perhaps guessed. They are numbers, or the expansion was reported. */
export function applyAssigned(state: ShellState, { assigned, walk }: Expansion): ShellState {
  if (assigned === undefined) return state;
  let next = reportsSet(assigned.keys(), state, walk);
  for (const [name, guess] of assigned) next = forgetting(next, [name], guess, true, guess === undefined);
  return next;
}
