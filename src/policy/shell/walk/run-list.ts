import type { AndOr, CommandNode, Pipeline, PipelineNode, Statement } from "unbash";
import { mergeStates } from "../state/merge-states.ts";
import type { ShellState } from "../state/shell-state.ts";
import {
  afterPlainCd,
  afterwards,
  joinOutput,
  silent,
  unchanged,
  unsure,
  type Outcome,
  type Output,
} from "./outcome.ts";
import { selfStarting } from "./fork-bomb.ts";
import type { Walk } from "./walk.ts";

/** Runs statements one after the other. */
export function runStatements(statements: readonly Statement[], state: ShellState, walk: Walk): Outcome {
  let last = unchanged(state, silent);
  let output: Output | undefined = silent;
  let next = state;
  for (const statement of statements) {
    last = runStatement(statement, next, walk);
    next = isPlainCd(statement) ? afterPlainCd(last) : afterwards(last);
    output = joinOutput(output, last.output);
  }
  return { ...last, output };
}

function isPlainCd({ command }: Statement): boolean {
  return command.type === "Command" && /^(cd|pushd|popd)$/.test(command.name?.text ?? "");
}

function runStatement({ command, background }: Statement, state: ShellState, walk: Walk): Outcome {
  const start = background === true ? { ...state, stdin: { kind: "none" as const }, fed: undefined } : state;
  const outcome = command.type === "AndOr" ? runAndOr(command, start, walk) : runPipelineNode(command, start, walk);
  return background === true ? unchanged(state, unsure(outcome.output)) : outcome;
}

function runAndOr({ commands, operators }: AndOr, state: ShellState, walk: Walk): Outcome {
  let outcome = unchanged(state, silent);
  commands.forEach((command, index) => {
    const operator = index === 0 ? undefined : operators[index - 1];
    if (operator === undefined) {
      outcome = runPipelineNode(command, state, walk);
      return;
    }
    const before = outcome;
    const next = runPipelineNode(command, operator === "&&" ? before.ok : before.fail, walk);
    outcome =
      operator === "&&"
        ? { ok: next.ok, fail: mergeStates(before.fail, next.fail), output: joinOutput(before.output, next.output) }
        : {
            ok: mergeStates(before.ok, next.ok),
            fail: next.fail,
            output: unsure(joinOutput(before.output, next.output)),
          };
  });
  return outcome;
}

function runPipelineNode(node: PipelineNode, state: ShellState, walk: Walk): Outcome {
  return node.type === "Pipeline" ? runPipeline(node, state, walk) : walk.steps.node(node, state, walk);
}

/** Every part of a pipeline runs in a shell of its own; a single command behind `!` or `time` does not. */
function runPipeline({ commands, prefixes }: Pipeline, state: ShellState, walk: Walk): Outcome {
  const [first, ...others] = commands;
  if (first === undefined) return unchanged(state);
  if (selfStarting(commands)) walk.emit({ kind: "bomb", text: "a script that pipes into itself" });
  const outcome = others.length === 0 ? walk.steps.node(first, state, walk) : runParts(commands, state, walk);
  const negated = prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
  return negated ? { ...outcome, ok: outcome.fail, fail: outcome.ok } : outcome;
}

function runParts(commands: readonly CommandNode[], state: ShellState, walk: Walk): Outcome {
  let input: Pick<ShellState, "stdin" | "fed"> = state;
  let output: Output | undefined = silent;
  for (const command of commands) {
    ({ output } = walk.steps.node(command, { ...state, stdin: input.stdin, fed: input.fed }, walk));
    input = piped(output);
  }
  return unchanged(state, output);
}

function piped(output: Output | undefined): Pick<ShellState, "stdin" | "fed"> {
  if (output?.sure === true) return { stdin: { kind: "literal", text: output.text }, fed: undefined };
  return { stdin: { kind: "pipe" }, fed: output?.text };
}
