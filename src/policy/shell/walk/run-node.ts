import { exhausted } from "../../../model/exhausted.ts";
import type { CommandNode, CompoundCommand, Coproc, Redirected as RedirectedNode } from "unbash";
import { expansionIn } from "../expand/flatten.ts";
import { limits } from "../limits.ts";
import { forgetting, type ShellState } from "../state/shell-state.ts";
import { applyAssigned } from "./assigned.ts";
import { emitCommand } from "./emit-command.ts";
import { silent, unchanged, unsure, type Outcome } from "./outcome.ts";
import { reportsSet } from "./reports-set.ts";
import { feedPipes } from "./feed-pipes.ts";
import { readRedirects } from "./redirects.ts";
import {
  runArithmetic,
  runArithmeticFor,
  runCase,
  runFor,
  runIf,
  runSelect,
  runTest,
  runWhile,
} from "./run-compound.ts";
import { runCommand } from "./run-command.ts";
import { defineFunction } from "./run-function.ts";
import { spanOf } from "./span.ts";
import { onlyChecking, tooDeep, type Walk } from "./walk.ts";

/** Runs one command of a pipeline. */
export function runNode(node: CommandNode, state: ShellState, walk: Walk): Outcome {
  if (walk.depth > limits.depth) {
    tooDeep(walk, node.type, "commands inside commands go too deep");
    return unchanged(state);
  }
  walk.work.spend(2);
  if (node.type === "Command") return runCommand(node, state, walk);
  const inside: Walk = { ...walk, depth: walk.depth + 1 };
  switch (node.type) {
    case "Redirected":
      return runRedirected(node, state, inside);
    case "Function":
      return defineFunction(node, state, inside);
    case "Coproc":
      return runCoproc(node, state, inside);
    default:
      return runCompound(node, state, inside);
  }
}

function runCompound(node: CompoundCommand, state: ShellState, walk: Walk): Outcome {
  switch (node.type) {
    case "BraceGroup":
      return walk.steps.statements(node.body.commands, state, walk);
    case "Subshell":
      return unchanged(state, walk.steps.statements(node.body.commands, state, walk).output);
    case "If":
      return runIf(node, state, walk);
    case "While":
      return runWhile(node, state, walk);
    case "For":
      return runFor(node, state, walk);
    case "Select":
      return runSelect(node, state, walk);
    case "ArithmeticFor":
      return runArithmeticFor(node, state, walk);
    case "Case":
      return runCase(node, state, walk);
    case "TestCommand":
      return runTest(node, state, walk);
    case "ArithmeticCommand":
      return runArithmetic(node, state, walk);
    default:
      return exhausted(node);
  }
}

/** Redirections of a compound command hold for everything in it. */
function runRedirected(node: RedirectedNode, state: ShellState, walk: Walk): Outcome {
  const env = expansionIn(state, walk);
  const redirected = readRedirects(node.redirects, env);
  const call = {
    argv: [],
    assignments: [],
    redirects: redirected.redirects,
    state,
    span: spanOf(node, walk),
    wrappers: [],
    external: false,
  };
  if (redirected.redirects.length > 0) emitCommand(call, walk);
  if (redirected.guesses !== undefined) emitCommand({ ...call, redirects: redirected.guesses }, onlyChecking(walk));
  const start = applyAssigned(redirected.state, env);
  const outcome = runCompound(node.command, start, walk);
  feedPipes(node.redirects, outcome.output, start, walk);
  const restore = (after: ShellState): ShellState => ({ ...after, stdin: state.stdin, fed: state.fed });
  const { stdout } = redirected;
  const output = stdout === "away" ? silent : stdout === "unsure" ? unsure(outcome.output) : outcome.output;
  return { ok: restore(outcome.ok), fail: restore(outcome.fail), output };
}

function runCoproc({ name, body }: Coproc, state: ShellState, walk: Walk): Outcome {
  if (name !== undefined) expansionIn(state, walk).flattenWord(name);
  const start: ShellState = { ...state, stdin: { kind: "pipe" }, fed: undefined };
  if (body.type === "CompoundList") walk.steps.statements(body.commands, start, walk);
  else walk.steps.node(body, start, walk);
  const names = [name?.value ?? "COPROC"];
  return unchanged(forgetting(reportsSet(names, state, walk), names));
}
