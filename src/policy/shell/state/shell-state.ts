import type { Function as FunctionNode } from "unbash";
import type { AbsolutePath } from "../../../model/absolute-path.ts";
import { limits } from "../limits.ts";
import type { Stdin, Word } from "../simple-command.ts";
import { NameMap } from "./name-map.ts";

/** Folders that may be the present one; undefined: any folder. Never empty. */
export type Cwds = readonly (AbsolutePath | undefined)[];

/** What is known of a shell variable. */
export interface Variable {
  /** Its value on every way that leads here; undefined: not known. */
  readonly value: string | undefined;
  /** A value that it may well have. Only the blocklist looks at it. */
  readonly guess: string | undefined;
  /** Where it holds the name of some file: the pattern that matched it. */
  readonly match?: string | undefined;
  /** True where an unknown value was made from the text and from numbers alone, so that it hides no code from arithmetic. */
  readonly inert?: boolean | undefined;
  /** True where an unknown value is a number or nothing. */
  readonly number?: boolean | undefined;
  readonly exported: boolean;
}

/** What a function's name may stand for. */
export interface Defined {
  readonly bodies: readonly FunctionNode[];
  /** False where on some way the name is still that of a program. */
  readonly sure: boolean;
}

/** What the shell knows at one point of the text. Never changed in place, so that branches can share it. */
export interface ShellState {
  readonly cwds: Cwds;
  /** Folders in which it would be if a plain `cd` had failed. Only the blocklist looks at them. */
  readonly suspects: Cwds | undefined;
  /** What `cd -` goes back to. */
  readonly previous: Cwds;
  /** The folder stack of pushd and popd, top first; undefined: not known. */
  readonly stack: readonly Cwds[] | undefined;
  readonly variables: NameMap<Variable>;
  /** True where any variable may have changed: names that are not in the map are then unknown even if the environment is known. */
  readonly forgotten: boolean;
  /** `$0` first; undefined: not known. */
  readonly positional: readonly Word[] | undefined;
  readonly functions: NameMap<Defined>;
  readonly stdin: Stdin;
  /** What standard input may well hold where `stdin` is not literal. Only the blocklist looks at it. */
  readonly fed: string | undefined;
  /** True where names may no longer mean what they say. */
  readonly tainted: boolean;
}

/** Traits of variables: its value is known; it holds a file's name; child processes see it. */
export const variableTraits = { known: 1, exported: 2 } as const;
/** Traits of functions: the name surely is one. */
export const functionTraits = { sure: 1 } as const;

export const noVariables = new NameMap<Variable>(
  ({ value, match, exported }) =>
    (value === undefined && match === undefined ? 0 : variableTraits.known) | (exported ? variableTraits.exported : 0),
);
export const noFunctions = new NameMap<Defined>(({ sure }) => (sure ? functionTraits.sure : 0));

/** A fresh shell. */
export function freshState(cwds: Cwds, stdin: Stdin = { kind: "inherited" }): ShellState {
  return {
    cwds,
    suspects: undefined,
    previous: [undefined],
    stack: [],
    variables: noVariables,
    forgotten: false,
    positional: undefined,
    functions: noFunctions,
    stdin,
    fed: undefined,
    tainted: false,
  };
}

/** The state with a variable set. */
export function withVariable(state: ShellState, name: string, variable: Variable): ShellState {
  if ((variable.value ?? variable.guess ?? "").length > limits.valueUnits)
    return withVariable(state, name, { ...variable, value: undefined, guess: undefined });
  return { ...state, variables: state.variables.set(name, variable) };
}

/** The state in which the named variables are not known. `inert`: what they hold hides no code; `number`: it is a number. */
export function forgetting(
  state: ShellState,
  names: readonly string[],
  guess?: string,
  inert = false,
  number = false,
): ShellState {
  let next = state;
  for (const name of names) {
    const old = state.variables.get(name);
    next = withVariable(next, name, {
      value: undefined,
      guess: guess ?? old?.value ?? old?.guess,
      inert,
      number,
      exported: old?.exported ?? false,
    });
  }
  return next;
}

/** The state in which the named variables hold something new that is not known. */
export function replacing(state: ShellState, names: readonly string[], inert = false): ShellState {
  let next = state;
  for (const name of names) {
    const exported = state.variables.get(name)?.exported ?? false;
    next = withVariable(next, name, { value: undefined, guess: undefined, inert, exported });
  }
  return next;
}

/** The state in which no variable is known. What they were stays a guess. */
export function forgettingAll(state: ShellState): ShellState {
  const variables = state.variables.change(variableTraits.known, ({ value, guess, exported }) => ({
    value: undefined,
    guess: value ?? guess,
    exported,
  }));
  return { ...state, variables, forgotten: true, positional: undefined, tainted: true };
}

/** The state after functions, aliases or the like may have changed what names mean. */
export function taintedState(state: ShellState): ShellState {
  return state.tainted ? state : { ...state, tainted: true };
}

/** What a new shell process takes over: folders, input and exported variables. */
export function childState(state: ShellState, positional: readonly Word[] | undefined): ShellState {
  return {
    ...freshState(state.cwds, state.stdin),
    suspects: state.suspects,
    fed: state.fed,
    variables: state.variables.only(variableTraits.exported),
    forgotten: state.forgotten,
    positional,
    tainted: state.tainted,
  };
}
