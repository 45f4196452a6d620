import type {
  ArithmeticCommand,
  ArithmeticExpression,
  ArithmeticFor,
  Case,
  CompoundList,
  For,
  If,
  Select,
  TestCommand,
  While,
} from "unbash";
import { matchesMost } from "../../blocklist/glob-component.ts";
import { exhausted } from "../../../model/exhausted.ts";
import { visitArithmetic } from "../expand/arithmetic.ts";
import { isInert, isNumber } from "../expand/evaluated.ts";
import { expandSingle, expandWords } from "../expand/expand-word.ts";
import { expansionIn } from "../expand/flatten.ts";
import { limits } from "../limits.ts";
import type { Word } from "../simple-command.ts";
import { mergeStates, sameForLoop, widenStates } from "../state/merge-states.ts";
import { forgetting, withVariable, type ShellState, type Variable } from "../state/shell-state.ts";
import { reportsSet } from "./reports-set.ts";
import { applyAssigned } from "./assigned.ts";
import {
  afterwards,
  eitherOutcome,
  joinOutput,
  silent,
  unchanged,
  unsure,
  type Outcome,
  type Output,
} from "./outcome.ts";
import { visitTest } from "./visit-test.ts";
import { namePatterns, opaque, type Walk } from "./walk.ts";

export function runIf(node: If, state: ShellState, walk: Walk): Outcome {
  const branches = [node, ...node.elif];
  let start = state;
  let sum: Outcome | undefined;
  let printed: Output | undefined = silent;
  for (const { clause, then } of branches) {
    walk.work.spend(4);
    const test = runBody(clause, start, walk);
    printed = joinOutput(printed, test.output);
    const body = runBody(then, test.ok, walk);
    const taken = { ...body, output: joinOutput(printed, body.output) };
    sum = sum === undefined ? taken : eitherOutcome(sum, taken);
    start = test.fail;
  }
  const otherwise = node.else === undefined ? unchanged(start, silent) : runBody(node.else, start, walk);
  const last = { ...otherwise, output: joinOutput(printed, otherwise.output) };
  return sum === undefined ? last : eitherOutcome(sum, last);
}

export function runWhile(node: While, state: ShellState, walk: Walk): Outcome {
  return loop(state, (start) => {
    const test = runBody(node.clause, start, walk);
    const [enter, leave] = node.kind === "while" ? [test.ok, test.fail] : [test.fail, test.ok];
    const body = runBody(node.body, enter, walk);
    return { turn: afterwards(body), leave, output: joinOutput(test.output, body.output) };
  });
}

export function runArithmeticFor(node: ArithmeticFor, state: ShellState, walk: Walk): Outcome {
  const started = arithmetic(node.initialize, state, walk);
  return loop(started, (start) => {
    const tested = arithmetic(node.test, start, walk);
    const body = runBody(node.body, tested, walk);
    return { turn: arithmetic(node.update, afterwards(body), walk), leave: tested, output: body.output };
  });
}

export function runFor(node: For, state: ShellState, walk: Walk): Outcome {
  const env = expansionIn(state, walk);
  const name = node.name.value;
  const { words, guesses } =
    node.wordlist === undefined
      ? { words: state.positional?.slice(1), guesses: undefined }
      : expandWords(node.wordlist, env);
  namePatterns(words ?? [], state, walk);
  const start = reportsSet([name], applyAssigned(state, env), walk);
  const inert = words?.every(isInert) ?? true;
  const number = words?.every(isNumber) ?? false;
  const values = words?.map(variableOf);
  if (values !== undefined && values.every((value) => value !== undefined) && values.length <= limits.loopWords) {
    return unrolled(node.body, name, values, start, walk);
  }
  if (values !== undefined && values.length > limits.loopWords)
    opaque(walk, name, "loops have more turns than are followed", "unread");
  const candidates = new Set((guesses ?? words ?? []).map(candidateOf).filter((value) => value !== undefined));
  // The likeliest harm first: the shortest are nearest to the root.
  const [guess, ...others] = [...candidates].toSorted((a, b) => a.length - b.length);
  for (const other of others.slice(0, limits.loopWords)) {
    runBody(node.body, forgetting(start, [name], other, inert, number), walk);
  }
  return loop(start, (before) => {
    const body = runBody(node.body, forgetting(before, [name], guess, inert, number), walk);
    return { turn: afterwards(body), leave: before, output: body.output };
  });
}

export function runSelect(node: Select, state: ShellState, walk: Walk): Outcome {
  const env = expansionIn(state, walk);
  if (node.wordlist !== undefined) expandWords(node.wordlist, env);
  return loop(reportsSet([node.name.value], applyAssigned(state, env), walk), (before) => {
    const body = runBody(node.body, forgetting(before, [node.name.value, "REPLY"]), walk);
    return { turn: afterwards(body), leave: before, output: body.output };
  });
}

export function runCase(node: Case, state: ShellState, walk: Walk): Outcome {
  const env = expansionIn(state, walk);
  expandSingle(node.word, env);
  for (const item of node.items) for (const pattern of item.pattern) expandSingle(pattern, env);
  const start = applyAssigned(state, env);
  let sum = unchanged(start, silent);
  let falling: ShellState | undefined;
  for (const item of node.items) {
    walk.work.spend(4);
    const body = runBody(item.body, falling === undefined ? start : mergeStates(start, falling), walk);
    falling = item.terminator === ";;" || item.terminator === undefined ? undefined : afterwards(body);
    sum = eitherOutcome(sum, body);
  }
  return sum;
}

export function runTest(node: TestCommand, state: ShellState, walk: Walk): Outcome {
  const env = expansionIn(state, walk);
  visitTest(node.expression, env);
  return unchanged(applyAssigned(state, env), silent);
}

export function runArithmetic(node: ArithmeticCommand, state: ShellState, walk: Walk): Outcome {
  const env = expansionIn(state, walk);
  visitArithmetic(node.expression, node.body, env);
  return unchanged(applyAssigned(state, env), silent);
}

function arithmetic(expression: ArithmeticExpression | undefined, state: ShellState, walk: Walk): ShellState {
  const env = expansionIn(state, walk);
  visitArithmetic(expression, "", env);
  return applyAssigned(state, env);
}

function runBody(list: CompoundList, state: ShellState, walk: Walk): Outcome {
  return walk.steps.statements(list.commands, state, walk);
}

/** Walks the body once for every word. */
function unrolled(
  body: CompoundList,
  name: string,
  values: readonly Variable[],
  state: ShellState,
  walk: Walk,
): Outcome {
  let last = unchanged(state, silent);
  let output: Output | undefined = silent;
  for (const value of values) {
    last = runBody(body, withVariable(afterwards(last), name, value), walk);
    output = joinOutput(output, last.output);
  }
  return { ...last, output };
}

interface Turn {
  readonly turn: ShellState;
  readonly leave: ShellState;
  readonly output: Output | undefined;
}

/** Walks a loop once as the first turn and, where that changed what the shell knows, once more as any later turn. */
function loop(state: ShellState, turn: (start: ShellState) => Turn): Outcome {
  const first = turn(state);
  const joined = mergeStates(state, first.turn);
  let leave = mergeStates(first.leave, first.turn);
  if (sameForLoop(state, joined)) return unchanged(leave, unsure(first.output));
  const again = turn(widenStates(state, first.turn));
  leave = mergeStates(leave, mergeStates(again.leave, again.turn));
  return unchanged(leave, unsure(first.output));
}

/** What a loop variable holds for one word; undefined where that is not known. A pattern stands for all that it matches. */
function variableOf(word: Word): Variable | undefined {
  switch (word.kind) {
    case "literal":
      return { value: word.value, guess: undefined, exported: false };
    case "glob":
      return { value: undefined, guess: candidateOf(word), match: word.pattern, exported: false };
    case "dynamic":
      return undefined;
    default:
      return exhausted(word);
  }
}

/** What a loop word may well stand for. Everything in a folder counts as the folder: for a deletion it is the same. */
function candidateOf(word: Word): string | undefined {
  if (word.kind !== "glob") return word.kind === "literal" ? word.value : undefined;
  const components = word.pattern.split("/");
  while (components.length > 0 && (components.at(-1) === "" || matchesMost(components.at(-1) ?? ""))) components.pop();
  const folder = components.join("/");
  return folder === "" ? (word.pattern.startsWith("/") ? "/" : ".") : folder;
}
