import { fearedPrograms } from "../../blocklist/feared-programs.ts";
import { componentMatcher, matchesMost } from "../../blocklist/glob-component.ts";
import { builtins } from "../builtins/builtin-table.ts";
import { literalOutput } from "../output/literal-output.ts";
import { findProgram } from "../programs/program-table.ts";
import { textOf } from "../programs/words.ts";
import { unwrap } from "../unwrap/unwrap.ts";
import { emitCommand } from "./emit-command.ts";
import type { Invocation } from "./invocation.ts";
import { eitherOutcome, silent, unchanged, type Outcome } from "./outcome.ts";
import { callFunction } from "./run-function.ts";
import { onlyChecking, opaque, type Walk } from "./walk.ts";

/** Runs a command: a function of the text, a builtin that changes the shell, a wrapper around another command, or a program. */
export function invoke(call: Invocation, walk: Walk): Outcome {
  const [first] = call.argv;
  if (first === undefined) {
    emitCommand(call, walk);
    return unchanged(call.state, silent);
  }
  const path = textOf(first);
  if (path === undefined) return invokeUnknown(call, walk);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const own = call.external ? undefined : call.state.functions.get(path);
  if (own !== undefined) {
    if (builtins.has(name) || findProgram(name) !== undefined)
      opaque(walk, path, "a function takes over the name of a command", "dynamic");
    emitRedirects(call, walk);
    emitCommand(call, onlyChecking(walk));
    const outcome = callFunction(own, call, walk);
    return own.sure ? outcome : eitherOutcome(outcome, invokeNamed(path, name, call, walk));
  }
  return invokeNamed(path, name, call, walk);
}

/** Runs what is no function. */
function invokeNamed(path: string, name: string, call: Invocation, walk: Walk): Outcome {
  const builtin = path === name ? builtins.get(name) : undefined;
  if (builtin !== undefined) {
    const outcome = builtin(call, walk);
    return call.external ? unchanged(call.state, outcome.output) : outcome;
  }
  const unwrapped = unwrap(name, call, walk);
  if (unwrapped !== undefined) return call.external ? unchanged(call.state, unwrapped.output) : unwrapped;
  emitCommand(call, walk);
  return unchanged(call.state, literalOutput(name, call));
}

/** A program whose name is not known: it is reported as it stands, and the blocklist sees what it may be. */
function invokeUnknown(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  const [first, ...others] = call.argv;
  if (first?.kind !== "glob") return unchanged(call.state);
  const slash = first.pattern.lastIndexOf("/") + 1;
  const pattern = first.pattern.slice(slash);
  // A name of stars alone says nothing of the program.
  if (matchesMost(pattern)) return unchanged(call.state);
  const matches = componentMatcher(pattern);
  for (const name of fearedPrograms) {
    if (matches(name))
      walk.steps.invoke({ ...call, argv: [{ kind: "literal", value: name }, ...others] }, onlyChecking(walk));
  }
  return unchanged(call.state);
}

/** A function is no program of its own, but its call may be redirected and carry assignments. */
function emitRedirects(call: Invocation, walk: Walk): void {
  if (call.redirects.length > 0 || call.assignments.length > 0) emitCommand({ ...call, argv: [] }, walk);
}
