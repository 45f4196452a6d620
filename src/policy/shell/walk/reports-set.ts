import { changesWhatRuns } from "../programs/environment.ts";
import { taintedState, type ShellState } from "../state/shell-state.ts";
import { opaque, type Walk } from "./walk.ts";

/** Reports the variables that decide what runs among those that are set in another way than by `NAME=value`: a loop, `read`, arithmetic, an expansion. */
export function reportsSet(names: Iterable<string>, state: ShellState, walk: Walk): ShellState {
  let next = state;
  for (const name of names) {
    if (!changesWhatRuns(name)) continue;
    opaque(walk, name, `the variable ${name} changes what runs`, "environment");
    next = taintedState(next);
  }
  return next;
}
