import { limits } from "../limits.ts";
import type { Word } from "../simple-command.ts";
import type { Cwds, Defined, ShellState, Variable } from "./shell-state.ts";

/** What holds where either of two ways may have been taken. */
export function mergeStates(a: ShellState, b: ShellState): ShellState {
  if (a === b) return a;
  return {
    cwds: mergeCwds(a.cwds, b.cwds),
    suspects:
      a.suspects === undefined || b.suspects === undefined
        ? (a.suspects ?? b.suspects)
        : mergeCwds(a.suspects, b.suspects),
    previous: mergeCwds(a.previous, b.previous),
    stack: a.stack === b.stack || (a.stack?.length === 0 && b.stack?.length === 0) ? a.stack : undefined,
    variables: mergeVariables(a.variables, b.variables),
    forgotten: a.forgotten || b.forgotten,
    positional: samePositional(a.positional, b.positional) ? a.positional : undefined,
    functions: mergeFunctions(a.functions, b.functions),
    stdin: a.stdin === b.stdin ? a.stdin : { kind: "pipe" },
    fed: a.fed ?? b.fed,
    tainted: a.tainted || b.tainted || a.functions !== b.functions,
  };
}

/** The union of two sets of folders; past the limit also "any folder". */
export function mergeCwds(a: Cwds, b: Cwds): Cwds {
  if (a === b) return a;
  const all = [...new Set([...a, ...b])];
  return all.length <= limits.cwds ? all : [...all.slice(0, limits.cwds), undefined];
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
    sameVariables(a.variables, b.variables) &&
    a.functions === b.functions &&
    a.forgotten === b.forgotten
  );
}

function sameCwds(a: Cwds, b: Cwds): boolean {
  return a === b || (a.length === b.length && a.every((cwd) => b.includes(cwd)));
}

function sameVariables(a: ReadonlyMap<string, Variable>, b: ReadonlyMap<string, Variable>): boolean {
  if (a === b) return true;
  return a.size === b.size && [...a].every(([name, variable]) => sameVariable(variable, b.get(name)));
}

function sameVariable(a: Variable, b: Variable | undefined): boolean {
  return (
    b !== undefined && a.value === b.value && a.guess === b.guess && a.match === b.match && a.exported === b.exported
  );
}

function mergeVariables(
  a: ReadonlyMap<string, Variable>,
  b: ReadonlyMap<string, Variable>,
): ReadonlyMap<string, Variable> {
  if (a === b) return a;
  const merged = new Map<string, Variable>();
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const one = a.get(name);
    const two = b.get(name);
    if (one !== undefined && sameVariable(one, two)) merged.set(name, one);
    else
      merged.set(name, {
        value: undefined,
        guess: likelier(one, two),
        exported: one?.exported === true || two?.exported === true,
      });
  }
  return merged;
}

function mergeFunctions(
  a: ReadonlyMap<string, Defined>,
  b: ReadonlyMap<string, Defined>,
): ReadonlyMap<string, Defined> {
  if (a === b) return a;
  const merged = new Map<string, Defined>();
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const bodies = new Set([...(a.get(name)?.bodies ?? []), ...(b.get(name)?.bodies ?? [])]);
    merged.set(name, { bodies: [...bodies], sure: a.get(name)?.sure === true && b.get(name)?.sure === true });
  }
  return merged;
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
