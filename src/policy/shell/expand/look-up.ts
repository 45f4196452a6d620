import type { ShellState } from "../state/shell-state.ts";
import type { Walk } from "../walk/walk.ts";

/** What is known of a variable's value. */
export interface Known {
  readonly value: string | undefined;
  readonly guess: string | undefined;
  /** Where it holds the name of some file: the pattern that matched it. */
  readonly match?: string | undefined;
  /** True where an unknown value was made from the text and from numbers alone. */
  readonly inert?: boolean | undefined;
  /** True where an unknown value is a number or nothing. */
  readonly number?: boolean | undefined;
}

/** Parameters that hold a number, whatever happened. */
const counted = /^[?#$!]$/;

/** Variables that bash fills with what commands gave or got. */
const filled = /^(_|BASH_(REMATCH|COMMAND|EXECUTION_STRING|ARGV)|REPLY|MAPFILE|OPTARG|READLINE_LINE)$/;

/** Looks a variable up in what the text said so far, then in the little that is known of every shell. */
export function lookUp(name: string, state: ShellState, walk: Walk): Known {
  const variable = state.variables.get(name);
  if (variable !== undefined) return variable;
  if (counted.test(name)) return { value: undefined, guess: undefined, inert: true, number: true };
  if (name === "OLDPWD")
    return { value: undefined, guess: state.previous.length === 1 ? state.previous[0] : undefined, inert: true };
  const given =
    name === "HOME" ? walk.facts.home : name === "PWD" && state.cwds.length === 1 ? state.cwds[0] : undefined;
  const inert = !filled.test(name);
  return state.forgotten ? { value: undefined, guess: given, inert } : { value: given, guess: undefined, inert };
}
