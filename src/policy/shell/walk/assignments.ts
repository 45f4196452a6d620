import type { Assignment } from "unbash";
import { isInert, isNumber, reportEvaluatedWord } from "../expand/evaluated.ts";
import { expandSingle, expandWords, type Single } from "../expand/expand-word.ts";
import type { Expansion } from "../expand/expansion.ts";
import { lookUp } from "../expand/look-up.ts";
import { changesWhatRuns, commandIn } from "../programs/environment.ts";
import type { Word } from "../simple-command.ts";
import { forgetting, taintedState, withVariable, type ShellState } from "../state/shell-state.ts";
import { hidesCode } from "../expand/hides-code.ts";
import { scriptText } from "./script-text.ts";
import { namePatterns, onlyChecking, opaque, type Walk } from "./walk.ts";

/** One assignment with its value expanded. */
export interface Assigned {
  readonly name: string;
  readonly value: Single;
  readonly append: boolean;
  /** True for `NAME[…]=…` and `NAME=(…)`: arrays are not followed. */
  readonly array: boolean;
}

/** Variables whose value bash itself runs as a script. */
const scripts = /^(PS[0-4]|PROMPT_COMMAND)$/;

/** Variables that name a file which a shell runs when it starts. */
const startUpFile = /^(BASH_ENV|ENV)$/;

function contentsOf(value: Word): string | undefined {
  return value.kind === "dynamic" ? value.contents : undefined;
}

/** Expands the value of an assignment. */
export function readAssignment({ name, value, append, index, text }: Assignment, env: Expansion): Assigned {
  if (index !== undefined) reportEvaluatedWord(index, env);
  if (value.type === "Word")
    return { name, value: expandSingle(value, env, "all"), append: append === true, array: index !== undefined };
  const { words, guesses } = expandWords(value.elements, env);
  namePatterns(words, env.state, env.walk);
  // The elements of PROMPT_COMMAND are scripts of their own.
  const between = scripts.test(name) ? "\n" : " ";
  const guess: Word = { kind: "literal", value: (guesses ?? words).map(scriptText).join(between) };
  return {
    name,
    value: {
      word: {
        kind: "dynamic",
        text: text.slice(text.indexOf("(")),
        parts: [undefined],
        why: "it is an array",
        inert: words.every(isInert),
      },
      guess,
    },
    append: false,
    array: true,
  };
}

/** The state with the variables set. `exported`: for the duration of one command, which sees them in its environment. */
export function withAssignments(
  state: ShellState,
  assigned: readonly Assigned[],
  as: "kept" | "exported",
  walk: Walk,
): ShellState {
  let next = state;
  for (const one of assigned) next = withAssignment(next, one, as, walk);
  return next;
}

function withAssignment(
  state: ShellState,
  { name, value, append, array }: Assigned,
  as: "kept" | "exported",
  walk: Walk,
): ShellState {
  inspectValue(name, array ? (value.guess ?? value.word) : value.word, state, walk);
  const tainted = changesWhatRuns(name) ? taintedState(state) : state;
  const before = lookUp(name, state, walk);
  const inert = isInert(value.word) && ((!append && !array) || before.value !== undefined || before.inert === true);
  if (array) return forgetting(tainted, [name], value.guess === undefined ? undefined : scriptText(value.guess), inert);
  const old = append ? before : { value: "", guess: undefined };
  const text = value.word.kind === "literal" ? value.word.value : undefined;
  const known = text === undefined || old.value === undefined ? undefined : old.value + text;
  const likely = value.guess === undefined ? text : scriptText(value.guess);
  const guess = known === undefined && likely !== undefined ? (old.value ?? old.guess ?? "") + likely : undefined;
  const exported = as === "exported" || state.variables.get(name)?.exported === true;
  const number = !append && isNumber(value.word);
  return withVariable(tainted, name, { value: known, guess, inert, number, exported });
}

/** Reports values that bash runs, now or where arithmetic evaluates them. */
export function inspectValue(name: string, value: Word, state: ShellState, walk: Walk): void {
  const text = scriptText(value);
  if (hidesCode(text)) opaque(walk, text, "arithmetic would run the substitution in this value", "dynamic");
  const script = scripts.test(name) ? text : startUpFile.test(name) ? contentsOf(value) : commandIn(name, text);
  if (script !== undefined && script !== "") walk.steps.text(script, state, onlyChecking(walk));
}
