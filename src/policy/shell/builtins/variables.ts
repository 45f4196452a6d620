import { isInert, reportEvaluatedWords } from "../expand/evaluated.ts";
import { changesWhatRuns } from "../programs/environment.ts";
import { textOf } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";
import {
  forgetting,
  forgettingAll,
  noFunctions,
  replacing,
  taintedState,
  withVariable,
  type ShellState,
} from "../state/shell-state.ts";
import { inspectValue } from "../walk/assignments.ts";
import { emitCommand } from "../walk/emit-command.ts";
import { reportsSet } from "../walk/reports-set.ts";
import { reportsHiddenCode } from "../walk/hidden-code.ts";
import type { Invocation } from "../walk/invocation.ts";
import { silent, unchanged, type Outcome } from "../walk/outcome.ts";
import { scriptText } from "../walk/script-text.ts";
import { opaque, type Walk } from "../walk/walk.ts";

const identifier = /^[A-Za-z_]\w*$/;

/** `export`, `declare`, `typeset`, `local`, `readonly`: sets variables, and may change how names are read. */
export function declare(call: Invocation, walk: Walk): Outcome {
  const [command, ...words] = call.argv;
  const options = words.filter(isOption);
  const names = words.filter((word) => !isOption(word));
  const letters = options.map(scriptText).join("");
  reportsHiddenCode(names, call.state, walk);
  if (/[nifF]/.test(letters))
    opaque(
      walk,
      scriptText(command ?? { kind: "literal", value: "declare" }),
      "it changes or shows what names stand for",
      "dynamic",
    );
  const exported = textOf(command) === "export" ? !letters.includes("n") : /^-.*x/.test(letters);
  const assignments = names.flatMap((word) => assignmentIn(word, exported));
  emitCommand({ ...call, assignments: [...call.assignments, ...assignments] }, walk);
  let next = call.state;
  for (const word of names) next = declared(word, exported, next, walk);
  return unchanged(next, silent);
}

function assignmentIn(word: Word, exported: boolean): { name: string; value: Word; exported: boolean }[] {
  const text = scriptText(word);
  const cut = /^([A-Za-z_]\w*)\+?=/.exec(text);
  if (cut === null) return [];
  const [head, name = ""] = cut;
  const value: Word =
    word.kind === "literal"
      ? { kind: "literal", value: text.slice(head.length) }
      : { kind: "dynamic", text, parts: [undefined], why: "its value is not known" };
  return [{ name, value, exported }];
}

function declared(word: Word, exported: boolean, state: ShellState, walk: Walk): ShellState {
  const text = textOf(word);
  if (text === undefined) {
    const head = word.kind === "dynamic" ? /^([A-Za-z_]\w*)(\[[^\]]*\])?\+?=/.exec(word.parts[0] ?? "") : null;
    return head?.[1] === undefined
      ? forgettingAll(state)
      : forgetting(taintedIf(head[1], state), [head[1]], undefined, isInert(word));
  }
  const cut = text.indexOf("=");
  const name = cut < 0 ? text : text.slice(0, cut);
  if (!identifier.test(name)) return forgetting(state, [name.replace(/\W[\s\S]*$/, "")]);
  const old = state.variables.get(name);
  if (cut < 0)
    return old === undefined ? state : withVariable(state, name, { ...old, exported: exported || old.exported });
  const value = text.slice(cut + 1);
  inspectValue(name, { kind: "literal", value }, state, walk);
  return withVariable(taintedIf(name, state), name, {
    value,
    guess: undefined,
    exported: exported || old?.exported === true,
  });
}

function taintedIf(name: string, state: ShellState): ShellState {
  return changesWhatRuns(name) ? taintedState(state) : state;
}

/** `unset`: the variables and functions are gone, which is as good as unknown. */
export function unset(call: Invocation, walk: Walk): Outcome {
  const words = call.argv.slice(1);
  emitCommand(call, walk);
  reportsHiddenCode(words, call.state, walk);
  const names = words.map(textOf);
  if (names.includes(undefined))
    return unchanged(taintedState({ ...forgettingAll(call.state), functions: noFunctions }), silent);
  const given = names.filter((name) => name !== undefined);
  let { functions } = call.state;
  for (const name of given) functions = functions.without(name);
  const known = given.filter((name) => identifier.test(name));
  // Without IFS words are split as ever.
  reportsSet(
    known.filter((name) => name !== "IFS"),
    call.state,
    walk,
  );
  const emptied = words.some((word) => /^-\w*f/.test(scriptText(word)))
    ? call.state
    : forgetting(call.state, known, "");
  return unchanged(taintedState({ ...emptied, functions }), silent);
}

/** `read`, `mapfile`, `readarray`, `getopts`, `let`, `printf -v`: set variables to what is known only when they run. */
export function assigns(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  const words = call.argv.slice(1);
  reportsHiddenCode(words, call.state, walk);
  if (words.some((word) => textOf(word) === undefined && word.kind === "dynamic"))
    return unchanged(forgettingAll(call.state), silent);
  const names = words.map(scriptText).flatMap((text) => /^([A-Za-z_]\w*)/.exec(text)?.[1] ?? []);
  const state = reportsSet(namesSet(call), call.state, walk);
  if (textOf(call.argv[0]) === "let") {
    reportEvaluatedWords(words, { state, walk });
    return unchanged(replacing(state, names, true), silent);
  }
  return unchanged(replacing(state, [...names, "REPLY", "MAPFILE", "OPTARG"]), silent);
}

/** The words that surely are names, and no prompt or format. */
function namesSet({ argv: [command, ...words] }: Invocation): string[] {
  const texts = words.map(scriptText);
  const set = textOf(command) === "printf" ? texts.filter((_, at) => texts[at - 1] === "-v").slice(0, 1) : texts;
  return set.flatMap((text) => /^([A-Za-z_]\w*)(\[.*\]|\W?=.*|\+\+|--)?$/s.exec(text)?.[1] ?? []);
}

/** `set`: new arguments, or options of the shell. */
export function set(given: Invocation, walk: Walk): Outcome {
  emitCommand(given, walk);
  const words = given.argv.slice(1);
  const call = takesKeywords(words) ? { ...given, state: taintedState(given.state) } : given;
  if (call !== given) opaque(walk, "set -k", "from now on any word may be an assignment", "dynamic");
  const dashes = words.findIndex((word) => textOf(word) === "--" || textOf(word) === "-");
  const first = dashes >= 0 ? dashes + 1 : words.findIndex((word) => !/^[-+]/.test(scriptText(word)));
  const hasOptionValue = words.some((word) => /^[-+]\w*o$/.test(scriptText(word)));
  if (dashes < 0 && (first < 0 || hasOptionValue)) return unchanged(call.state, silent);
  const zero = call.state.positional?.[0] ?? {
    kind: "dynamic",
    text: "$0",
    parts: [undefined],
    why: "it is the shell's name",
  };
  return unchanged({ ...call.state, positional: [zero, ...words.slice(first)] }, silent);
}

/** `set -k` reads assignments behind a command's name, too (bash manual, "The Set Builtin"). */
function takesKeywords(words: readonly Word[]): boolean {
  const texts = words.map(scriptText);
  const options = texts.slice(
    0,
    texts.findIndex((text) => /^-{0,2}$/.test(text) || !/^[-+]|^[a-z]+$/.test(text)) >>> 0,
  );
  return options.some(
    (text, at) => /^-[a-z]*k/i.test(text) || (text === "keyword" && /^-\w*o$/.test(options[at - 1] ?? "")),
  );
}

/** `shift`: the arguments move by a known number. */
export function shift(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  const count = call.argv.length === 1 ? 1 : Number(textOf(call.argv[1]) ?? Number.NaN);
  const [zero, ...rest] = call.state.positional ?? [];
  const positional =
    zero === undefined || !Number.isInteger(count) || count < 0 ? undefined : [zero, ...rest.slice(count)];
  return unchanged({ ...call.state, positional }, silent);
}

function isOption(word: Word): boolean {
  return /^[-+]/.test(scriptText(word));
}
