import type { Assignment, Command, Word as WordNode } from "unbash";
import { expandWord } from "../expand/expand-word.ts";
import type { Expansion } from "../expand/expansion.ts";
import { expansionIn } from "../expand/flatten.ts";
import { literal, textOf } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";
import { withVariable, type ShellState } from "../state/shell-state.ts";
import { mergeCwds } from "../state/merge-states.ts";
import { readAssignment, withAssignments, type Assigned } from "./assignments.ts";
import { applyAssigned } from "./assigned.ts";
import { emitCommand } from "./emit-command.ts";
import type { Invocation } from "./invocation.ts";
import { silent, unsure, type Outcome } from "./outcome.ts";
import { feedPipes } from "./feed-pipes.ts";
import { readRedirects } from "./redirects.ts";
import { spanOf } from "./span.ts";
import { onlyChecking, opaque, type Walk } from "./walk.ts";

/** Runs a simple command: expands its words, then its redirections and assignments, then starts it. */
export function runCommand(node: Command, state: ShellState, walk: Walk): Outcome {
  const env = expansionIn(state, walk);
  const { words, guesses } = commandWords(node, env);
  const redirected = readRedirects(node.redirects, env);
  if (isBuilt(node.name))
    opaque(walk, node.name?.text ?? "", "the program's name is built by braces or a variable", "decode");
  const assigned = readPrefix(node, env).filter((one) => !splitsInput(one, words, state));
  const plain = applyAssigned(redirected.state, env);
  const alone = words.length === 0;
  const start = withAssignments(plain, assigned, alone ? "kept" : "exported", walk);
  const call: Invocation = {
    argv: words,
    assignments:
      assigned.length === 0
        ? nothing
        : assigned.map(({ name, value }) => ({ name, value: value.word, exported: !alone })),
    redirects: redirected.redirects,
    state: start,
    span: spanOf(node, walk),
    wrappers: nothing,
    external: false,
  };
  const outcome = walk.steps.invoke(call, walk);
  const guess = tryGuesses(call, guesses, redirected.guesses, assigned, walk);
  feedPipes(node.redirects, outcome.output, start, walk);
  const restore = (after: ShellState): ShellState =>
    restored(after, state, plain, alone ? [] : assigned, keepsInput(words), guess?.ok);
  const output =
    redirected.stdout === "away"
      ? silent
      : redirected.stdout === "unsure"
        ? unsure(outcome.output)
        : (outcome.output ?? unsure(guess?.output));
  const ok = guess === undefined ? restore(outcome.ok) : withLikely(restore(outcome.ok), words, guess.ok);
  return { ok, fail: outcome.fail === outcome.ok ? ok : restore(outcome.fail), output };
}

const nothing: readonly never[] = [];

/** `IFS=, read -r a b`: says how this one line is split, and what is read is not known anyway (bash manual, "Word Splitting"). */
function splitsInput({ name }: Assigned, [first]: readonly Word[], { functions }: ShellState): boolean {
  const program = textOf(first);
  return (
    name === "IFS" &&
    program !== undefined &&
    /^(read|mapfile|readarray)$/.test(program) &&
    functions.get(program) === undefined
  );
}

function readPrefix({ prefix }: Command, env: Expansion): readonly Assigned[] {
  if (prefix.length === 0) return nothing;
  return prefix.filter((part) => part.type === "Assignment").map((part) => readAssignment(part, env));
}

/** A name that is not written plainly may hide what runs, even where it can be decoded. */
function isBuilt(name: WordNode | undefined): boolean {
  return (
    name?.parts?.some(
      ({ type }) => type === "BraceExpansion" || type === "SimpleExpansion" || type === "ParameterExpansion",
    ) === true
  );
}

function commandWords(
  { name, args }: Command,
  env: Expansion,
): { words: readonly Word[]; guesses: readonly Word[] | undefined } {
  const words: Word[] = [];
  let guesses: Word[] | undefined;
  for (const node of name === undefined ? args : [name, ...args]) {
    const expanded = node.type === "Word" ? expandWord(node, env) : argumentOf(node, env);
    if (guesses === undefined && expanded.guesses !== undefined) guesses = [...words];
    if (guesses !== undefined) addAll(guesses, expanded.guesses ?? expanded.words);
    addAll(words, expanded.words);
  }
  return { words, guesses };
}

/** As many items as there may be: a spread call would put them all on the stack. */
function addAll(to: Word[], words: readonly Word[]): void {
  for (const word of words) to.push(word);
}

/** `NAME=value` as an argument of export and its like: one word. */
function argumentOf(
  node: Assignment,
  env: Expansion,
): { words: readonly Word[]; guesses: readonly Word[] | undefined } {
  const { name, value } = readAssignment(node, env);
  const head = `${name}${node.append === true ? "+" : ""}=`;
  return {
    words: [behind(head, value.word)],
    guesses: value.guess === undefined ? undefined : [behind(head, value.guess)],
  };
}

function behind(head: string, word: Word): Word {
  if (word.kind === "literal") return { kind: "literal", value: head + word.value };
  if (word.kind === "glob") return { kind: "literal", value: head + word.pattern };
  const [first, ...others] = word.parts;
  const parts = first === undefined ? [head, ...word.parts] : [head + first, ...others];
  return { ...word, text: head + word.text, parts };
}

/** Asks the blocklist about what unknown words may well be, and about the rest where an unknown first word is empty. */
function tryGuesses(
  call: Invocation,
  argv: readonly Word[] | undefined,
  redirects: Invocation["redirects"] | undefined,
  assigned: readonly Assigned[],
  walk: Walk,
): Outcome | undefined {
  const [first] = call.argv;
  if (argv === undefined && redirects === undefined && first?.kind !== "dynamic") return undefined;
  const checking = onlyChecking(walk);
  const others = call.argv.slice(1);
  if (
    first?.kind === "dynamic" &&
    others.length > 0 &&
    first.parts.every((part) => part === undefined) &&
    !first.text.startsWith('"')
  ) {
    walk.steps.invoke({ ...call, argv: others }, checking);
  }
  // `su${x}do`: what is not known may be empty.
  if (first?.kind === "dynamic" && first.parts.length > 1 && first.parts.includes(undefined)) {
    walk.work.spend(10);
    walk.steps.invoke({ ...call, argv: [literal(first.parts.join("")), ...others] }, checking);
  }
  if (argv === undefined && redirects === undefined) return undefined;
  const guess: Invocation = { ...call, argv: argv ?? call.argv, redirects: redirects ?? call.redirects };
  if (guess.argv.length > 0) return walk.steps.invoke(guess, checking);
  if (assigned.length === 0 || redirects !== undefined) emitCommand(guess, checking);
  return undefined;
}

/** Puts back what held only for this command: its input and its own assignments. A guess may add a folder. */
function restored(
  after: ShellState,
  before: ShellState,
  plain: ShellState,
  assigned: readonly Assigned[],
  keepsInput: boolean,
  guess: ShellState | undefined,
): ShellState {
  const same = keepsInput || (after.stdin === before.stdin && after.fed === before.fed);
  let next = same ? after : { ...after, stdin: before.stdin, fed: before.fed };
  if (assigned.length > 0 && next.variables !== plain.variables) {
    let { variables } = next;
    for (const { name } of assigned) {
      const old = plain.variables.get(name);
      variables = old === undefined ? variables.without(name) : variables.set(name, old);
    }
    next = { ...next, variables };
  }
  if (guess !== undefined && guess.cwds !== before.cwds) next = { ...next, cwds: mergeCwds(next.cwds, guess.cwds) };
  return next;
}

/** `local x=${1:-/}`: what is not known is likely what the guess made of it. */
function withLikely(state: ShellState, [first, ...words]: readonly Word[], guess: ShellState): ShellState {
  if (!/^(export|declare|typeset|local|readonly)$/.test(textOf(first) ?? "")) return state;
  let next = state;
  for (const word of words) {
    const [, name] = word.kind === "dynamic" ? (/^([A-Za-z_]\w*)=/.exec(word.parts[0] ?? "") ?? []) : [];
    const old = name === undefined ? undefined : state.variables.get(name);
    const likely = name === undefined ? undefined : guess.variables.get(name);
    if (name === undefined || old === undefined || old.value !== undefined || likely === undefined) continue;
    next = withVariable(next, name, { ...old, guess: likely.value ?? likely.guess });
  }
  return next;
}

/** `exec < file` redirects the rest of the shell. */
function keepsInput([first, ...others]: readonly Word[]): boolean {
  return others.length === 0 && textOf(first) === "exec";
}
