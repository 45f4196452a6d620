import { commandText } from "../compose/command-text.ts";
import { targets } from "../builtins/folders.ts";
import { literalOutput } from "../output/literal-output.ts";
import { shown, textOf } from "../programs/words.ts";
import type { AssignedWord, Word } from "../simple-command.ts";
import { noVariables, type ShellState } from "../state/shell-state.ts";
import { mergeCwds } from "../state/merge-states.ts";
import { withAssignments } from "../walk/assignments.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { silent, unchanged, type Outcome } from "../walk/outcome.ts";
import { scriptText } from "../walk/script-text.ts";
import { onlyChecking, opaque, type Walk } from "../walk/walk.ts";
import { readOptions, type GivenOption } from "./option-spec.ts";
import { runScriptWord } from "./script-word.ts";
import { checkUnknownRunner } from "./unknown-runner.ts";
import type { Wrapper } from "./wrapper.ts";

/** Takes a wrapper of the table off and runs the command inside. `from`: where its options begin. */
export function runWrapper(row: Wrapper, from: number, call: Invocation, walk: Walk): Outcome {
  const { argv } = call;
  const given = readOptions(argv, from, row.options);
  const options = [...given.options];
  let at = given.end + (options.some(({ name }) => row.operandsUnless.includes(name)) ? 0 : row.operands);
  // `runuser - NAME` is a login of that name.
  if (row.operandsUnless.length > 0 && textOf(argv[given.end]) === "-") at += 1;
  if (row.again && at < argv.length) {
    const more = readOptions(argv, at, row.options);
    options.push(...more.options);
    at = more.end;
  }
  if (options.some(({ name }) => row.without.includes(name))) return alone(call, walk);
  reportUnknown(row, argv.slice(from, at), given.strange, call, walk);
  const read = row.assignments ? readAssignments(argv, at) : { assignments: [], end: at };
  const state = stateInside(row, options, read.assignments, call.state, walk);
  const inner: Invocation = {
    ...call,
    argv: argv.slice(read.end),
    assignments: [...call.assignments, ...read.assignments],
    state,
    wrappers: [...call.wrappers, argv],
    external: call.external || !row.inShell,
  };
  const scripts = options.filter(({ name }) => row.script.includes(name)).flatMap(({ value }) => value ?? []);
  if (given.strange !== undefined && inner.argv.length > 1)
    walk.steps.invoke({ ...inner, argv: inner.argv.slice(1) }, onlyChecking(walk));
  const joined = row.inner === "shell" || options.some(({ name }) => row.joined.includes(name));
  const outcome = runInside({ ...row, inner: joined ? "shell" : row.inner }, inner, scripts, call, walk);
  return row.inShell ? outcome : unchanged(call.state, outcome.output);
}

function runInside(row: Wrapper, inner: Invocation, scripts: readonly Word[], call: Invocation, walk: Walk): Outcome {
  if (row.opaqueInside) {
    emitCommand(call, walk);
    const checking = onlyChecking(walk);
    // `nix develop -c COMMAND WORDS` takes the rest of the words, whatever they look like.
    if (scripts.length > 0) checkUnknownRunner("", call, walk);
    for (const script of scripts) runScriptWord([script], inner, checking);
    if (inner.argv.length > 0 && row.inner === "shell") runScriptWord(inner.argv, inner, checking);
    if (inner.argv.length > 0) walk.steps.invoke(inner, checking);
    return unchanged(call.state);
  }
  if (scripts.length > 0) {
    for (const script of scripts) runScriptWord([script], inner, walk);
    // Some systems take the command behind the file instead of a script.
    if (inner.argv.length > 0) walk.steps.invoke(inner, onlyChecking(walk));
    return unchanged(call.state);
  }
  if (inner.argv.length === 0)
    return alone(
      inner.assignments.length > call.assignments.length ? { ...call, assignments: inner.assignments } : call,
      walk,
    );
  if (row.inner === "shell") return runScriptWord(inner.argv, inner, walk);
  return walk.steps.invoke(inner, walk);
}

/** `exec > file` without a command keeps its redirections for the rest of the shell; others just run. */
function alone(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  return unchanged(call.state, literalOutput(textOf(call.argv[0]) ?? "", call) ?? silent);
}

function reportUnknown(
  row: Wrapper,
  own: readonly Word[],
  strange: string | undefined,
  call: Invocation,
  walk: Walk,
): void {
  const text = commandText(call.argv);
  if (row.always !== undefined) opaque(walk, text, row.always.why, row.always.cause);
  if (strange !== undefined) opaque(walk, text, `what the option ${strange} does is not known`, "dynamic");
  for (const word of own)
    if (word.kind !== "literal") opaque(walk, text, `${shown(word)} is not known before it runs`, "dynamic");
}

/** `NAME=value` words before the command. */
function readAssignments(argv: readonly Word[], from: number): { assignments: AssignedWord[]; end: number } {
  const assignments: AssignedWord[] = [];
  let end = from;
  for (; end < argv.length; end += 1) {
    const word = argv[end];
    if (word === undefined) break;
    const text = scriptText(word);
    if (text === "-") continue;
    const cut = /^([^=/\s]+)=/.exec(text);
    if (cut?.[1] === undefined) break;
    const value: Word =
      word.kind === "literal"
        ? { kind: "literal", value: text.slice(cut[0].length) }
        : { kind: "dynamic", text, parts: [undefined], why: "its value is not known" };
    assignments.push({ name: cut[1], value, exported: true });
  }
  return { assignments, end };
}

function stateInside(
  row: Wrapper,
  options: readonly GivenOption[],
  assignments: readonly AssignedWord[],
  state: ShellState,
  walk: Walk,
): ShellState {
  let inside = withAssignments(
    state,
    assignments.map(({ name, value }) => ({
      name,
      value: { word: value, guess: undefined },
      append: false,
      array: false,
    })),
    "exported",
    walk,
  );
  for (const { name, value } of options) {
    if (row.chdir.includes(name) && value !== undefined)
      inside = {
        ...inside,
        cwds: targets(value, { ...inside, variables: noVariables }, false, walk),
      };
  }
  return inside.cwds.length === 0 ? { ...inside, cwds: mergeCwds(state.cwds, [undefined]) } : inside;
}
