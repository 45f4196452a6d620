import { commandText } from "../compose/command-text.ts";
import { listedItem } from "../../blocklist/protected-folders.ts";
import { fedTo } from "../builtins/texts.ts";
import type { Word } from "../simple-command.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { unchanged, type Outcome } from "../walk/outcome.ts";
import { scriptText } from "../walk/script-text.ts";
import { onlyChecking, opaque, type Walk } from "../walk/walk.ts";
import { optionSpec, readOptions } from "./option-spec.ts";

const options = optionSpec(
  "0 o p r t x i? e? l? I: a: E: d: L: n: P: s: J: R: S: null open-tty interactive no-run-if-empty verbose exit arg-file: delimiter: eof? replace? max-lines? max-args: max-procs: max-chars: process-slot-var: show-limits",
);

/** Items that are tried one by one. */
const maxItems = 64;

/** `xargs`: the command in its words, with further operands from its input. */
export function runXargs(call: Invocation, walk: Walk): Outcome {
  const given = readOptions(call.argv, 1, options);
  const words = call.argv.slice(given.end);
  const text = commandText(call.argv);
  if (given.strange !== undefined) opaque(walk, text, `what the option ${given.strange} does is not known`, "dynamic");
  opaque(walk, text, "further operands come from standard input", "dynamic");
  const replaced = given.options.findLast(
    ({ name }) => name === "I" || name === "i" || name === "replace" || name === "J",
  );
  const mark = replaced === undefined ? undefined : replaced.value === undefined ? "{}" : scriptText(replaced.value);
  const command: readonly Word[] = words.length === 0 ? [{ kind: "literal", value: "echo" }] : words;
  const base: Invocation = {
    ...call,
    argv: command,
    state: { ...call.state, stdin: { kind: "none" }, fed: undefined },
    wrappers: [...call.wrappers, call.argv],
    external: true,
  };
  const unknown: Word = { kind: "dynamic", text: "(standard input)", parts: [undefined], why: listedItem };
  if (command.length > 0 && words.length === 0) emitCommand(call, walk);
  else walk.steps.invoke({ ...base, argv: filled(command, mark, unknown) }, walk);
  const file = given.options.findLast(({ name }) => name === "a" || name === "arg-file");
  const fed = file === undefined ? fedTo(call.state) : contentsOf(file.value);
  const sure = file === undefined && call.state.stdin.kind === "literal";
  if (fed !== undefined) checkItems(fed, sure, base, mark, walk);
  return unchanged(call.state);
}

/** What `-a <(…)` reads. */
function contentsOf(file: Word | undefined): string | undefined {
  return file?.kind === "dynamic" ? file.contents : undefined;
}

/** Tries the items of a known input: all of them in one command, and where a mark stands for each the first ones by themselves, too. */
function checkItems(fed: string, sure: boolean, base: Invocation, mark: string | undefined, walk: Walk): void {
  const checking = onlyChecking(walk);
  const items = fed.split(mark === undefined ? /[\s\0]+/ : /[\n\0]+/).filter((item) => item !== "");
  const words = items.map(itemWord);
  const all =
    mark === undefined || mark === ""
      ? [...base.argv, ...words]
      : base.argv.flatMap((word) =>
          scriptText(word).includes(mark) ? words.map((item) => fill(word, mark, item)) : [word],
        );
  const alone = mark === undefined ? [] : words.slice(0, maxItems);
  // What is known to the last character is done, whatever else may be.
  const telling = sure ? walk : checking;
  walk.steps.invoke({ ...base, argv: all }, mark === undefined ? telling : checking);
  for (const item of alone) walk.steps.invoke({ ...base, argv: filled(base.argv, mark, item) }, telling);
  if (alone.length < words.length && mark !== undefined)
    opaque(walk, "xargs", "more items than are looked at", "unread");
}

/** xargs itself removes quotes; a pattern that was printed stands for its matches. */
function itemWord(item: string): Word {
  const text = item.replace(/['"\\]/g, "");
  return /[*?[]/.test(text) ? { kind: "glob", pattern: text } : { kind: "literal", value: text };
}

function filled(command: readonly Word[], mark: string | undefined, item: Word): Word[] {
  if (mark === undefined || mark === "") return [...command, item];
  return command.map((word) => fill(word, mark, item));
}

/** Puts an item into every place of a word that the mark names. */
export function fill(word: Word, mark: string, item: Word): Word {
  const text = scriptText(word);
  if (!text.includes(mark)) return word;
  if (text === mark) return item;
  const pieces = text.split(mark);
  if (word.kind === "literal" && item.kind === "literal") return { kind: "literal", value: pieces.join(item.value) };
  if (word.kind === "literal" && item.kind === "glob") return { kind: "glob", pattern: pieces.join(item.pattern) };
  const parts = pieces.flatMap((piece, index) => [...(index > 0 ? [undefined] : []), ...(piece === "" ? [] : [piece])]);
  return { kind: "dynamic", text, parts, why: item.kind === "dynamic" ? item.why : "a part of it is not known" };
}
