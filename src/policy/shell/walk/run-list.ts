import type { AndOr, CommandNode, Pipeline, PipelineNode, Statement } from "unbash";
import { mergeWays } from "../state/merge-states.ts";
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
  // A command that is repeated in the same situation does the same again: long texts repeat themselves.
  let known: Map<string, Outcome> | undefined;
  let links = walk.links.size;
  for (const statement of statements) {
    walk.work.spend(0.4);
    const key = repeatable(statement);
    const before = next;
    last = (key === undefined ? undefined : known?.get(key)) ?? runStatement(statement, next, walk);
    next = isPlainCd(statement) ? afterPlainCd(last) : afterwards(last);
    output = joinOutput(output, last.output);
    if (next !== before || walk.links.size !== links) known = undefined;
    else if (key !== undefined && statements.length > 1) (known ??= new Map()).set(key, last);
    links = walk.links.size;
  }
  return { ...last, output };
}

/** What tells a simple command from others where nothing else differs; undefined where it brings along more than its words. */
function repeatable({ command, background }: Statement): string | undefined {
  if (command.type !== "Command" || background === true) return undefined;
  if (command.prefix.length > 0 || command.redirects.length > 0 || command.name === undefined) return undefined;
  let key = command.name.text;
  for (const { text } of command.args) key += `\0${text.length} ${text}`;
  return key;
}

function isPlainCd({ command }: Statement): boolean {
  return command.type === "Command" && /^(cd|pushd|popd)$/.test(command.name?.text ?? "");
}

function runStatement({ command, background }: Statement, state: ShellState, walk: Walk): Outcome {
  walk.work.spend(2);
  const start = background === true ? { ...state, stdin: { kind: "none" as const }, fed: undefined } : state;
  const outcome = command.type === "AndOr" ? runAndOr(command, start, walk) : runPipelineNode(command, start, walk);
  return background === true ? unchanged(state, unsure(outcome.output)) : outcome;
}

function runAndOr({ commands, operators }: AndOr, state: ShellState, walk: Walk): Outcome {
  const [first, ...others] = commands;
  if (first === undefined) return unchanged(state, silent);
  const begun = runPipelineNode(first, state, walk);
  let { output } = begun;
  // Every way to one end of the list: they are put together only where one of them is taken.
  let ok = [begun.ok];
  let fail = [begun.fail];
  others.forEach((command, index) => {
    walk.work.spend(3);
    const isAnd = operators[index] === "&&";
    const next = runPipelineNode(command, mergeWays(isAnd ? ok : fail, state), walk);
    if (isAnd) ok = [];
    else fail = [];
    ok.push(next.ok);
    fail.push(next.fail);
    output = joinOutput(output, next.output);
    if (!isAnd) output = unsure(output);
  });
  return { ok: mergeWays(ok, state), fail: mergeWays(fail, state), output };
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
