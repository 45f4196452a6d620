import { limits } from "../limits.ts";
import type { Word } from "../simple-command.ts";
import type { NameJoin } from "./name-map.ts";
import {
  functionTraits,
  variableTraits,
  type Cwds,
  type Defined,
  type ShellState,
  type Variable,
} from "./shell-state.ts";

/** What holds where either of two ways may have been taken. */
export function mergeStates(a: ShellState, b: ShellState): ShellState {
  return a === b ? a : mergeWays([a, b], a);
}

/** What holds where one of several ways may have been taken; `otherwise` where there is none. */
export function mergeWays(ways: readonly ShellState[], otherwise: ShellState): ShellState {
  const [first = otherwise, ...others] = new Set(ways);
  if (others.length === 0) return first;
  const merged = others.reduce(mergeRest, first);
  return {
    ...merged,
    variables: first.variables.merge(
      others.map((way) => way.variables),
      variables,
    ),
    functions: first.functions.merge(
      others.map((way) => way.functions),
      functions,
    ),
  };
}

/** Of two ways all but what is known by name. */
function mergeRest(a: ShellState, b: ShellState): ShellState {
  return {
    cwds: mergeCwds(a.cwds, b.cwds),
    suspects:
      a.suspects === undefined || b.suspects === undefined
        ? (a.suspects ?? b.suspects)
        : mergeCwds(a.suspects, b.suspects),
    previous: mergeCwds(a.previous, b.previous),
    stack: a.stack === b.stack || (a.stack?.length === 0 && b.stack?.length === 0) ? a.stack : undefined,
    variables: b.variables,
    forgotten: a.forgotten || b.forgotten,
    positional: samePositional(a.positional, b.positional) ? a.positional : undefined,
    functions: b.functions,
    stdin: a.stdin === b.stdin ? a.stdin : { kind: "pipe" },
    fed: a.fed ?? b.fed,
    tainted: a.tainted || b.tainted || a.functions !== b.functions,
  };
}

/** The union of two sets of folders; past the limit also "any folder". Then the shortest stay: what is deleted there hurts most. */
export function mergeCwds(a: Cwds, b: Cwds): Cwds {
  if (a === b || b.every((cwd) => a.includes(cwd))) return a;
  const all = [...new Set([...a, ...b])];
  if (all.length <= limits.cwds) return all;
  const known = all.filter((cwd) => cwd !== undefined).toSorted((one, two) => one.length - two.length);
  return [...known.slice(0, limits.cwds), undefined];
}

/** The state of a loop that may run any number of times, from before it and after one turn of it. */
export function widenStates(before: ShellState, after: ShellState): ShellState {
  const merged = mergeStates(before, after);
  return sameCwds(before.cwds, after.cwds) ? merged : { ...merged, cwds: mergeCwds(merged.cwds, [undefined]) };
}

/** True where nothing that a second turn of a loop could see differs. */
export function sameForLoop(a: ShellState, b: ShellState): boolean {
  if (a === b) return true;
  return (
    sameCwds(a.cwds, b.cwds) &&
    a.variables.equals(b.variables, sameVariable) &&
    a.functions === b.functions &&
    a.forgotten === b.forgotten
  );
}

function sameCwds(a: Cwds, b: Cwds): boolean {
  return a === b || (a.length === b.length && a.every((cwd) => b.includes(cwd)));
}

function sameVariable(a: Variable, b: Variable | undefined): boolean {
  return (
    b !== undefined &&
    a.value === b.value &&
    a.guess === b.guess &&
    a.match === b.match &&
    a.exported === b.exported &&
    isInert(a) === isInert(b) &&
    isNumber(a) === isNumber(b)
  );
}

/** What no text set, and what is known, hides no code. */
function isInert(variable: Variable | undefined): boolean {
  return variable === undefined || variable.value !== undefined || variable.inert === true;
}

function isNumber(variable: Variable | undefined): boolean {
  return variable?.value === undefined ? variable?.number === true : /^\d*$/.test(variable.value);
}

/** A value that holds only where both ways give it. */
const variables: NameJoin<Variable> = {
  alone: variableTraits.known,
  join(one, two) {
    if (two !== undefined && sameVariable(two, one)) return two;
    const exported = one?.exported === true || two?.exported === true;
    const inert = isInert(one) && isInert(two);
    const number = isNumber(one) && isNumber(two);
    const joined: Variable = { value: undefined, guess: likelier(one, two), inert, number, exported };
    return [two, one].find((each) => each !== undefined && sameVariable(each, joined)) ?? joined;
  },
};

/** All that the name may stand for. */
const functions: NameJoin<Defined> = {
  alone: functionTraits.sure,
  join(one, two) {
    const bodies = union(one?.bodies ?? [], two?.bodies ?? []);
    const sure = one?.sure === true && two?.sure === true;
    const kept = [two, one].find((each) => each?.sure === sure && each.bodies === bodies);
    return kept ?? { bodies, sure };
  },
};

/** All items of both. Mostly one list goes on where the other ends, or has but one item. */
function union<T>(a: readonly T[], b: readonly T[]): readonly T[] {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.every((item, at) => item === long[at])) return long;
  if (short.length > 8) return [...new Set([...a, ...b])];
  const more = short.filter((item) => !long.includes(item));
  return more.length === 0 ? long : [...long, ...more];
}

/** The shorter value: for a path it is the one that a deletion would hurt more. */
function likelier(a: Variable | undefined, b: Variable | undefined): string | undefined {
  const one = a?.value ?? a?.guess;
  const two = b?.value ?? b?.guess;
  if (one === undefined || two === undefined) return one ?? two;
  return two !== "" && (one === "" || two.length < one.length) ? two : one;
}

function samePositional(a: readonly Word[] | undefined, b: readonly Word[] | undefined): boolean {
  return (
    a === b ||
    (a !== undefined && b !== undefined && a.length === b.length && a.every((word, index) => word === b[index]))
  );
}
