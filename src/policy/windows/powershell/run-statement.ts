import { fearedTurns } from "../programs/feared-text.ts";
import { findBombs } from "./fork-bombs.ts";
import { parsePowerShell } from "./parse-powershell.ts";
import { isKeyword } from "./powershell-names.ts";
import type { PowerShellCommand, PowerShellWord } from "./powershell-script.ts";
import type { Piped, Walk } from "./session.ts";
import { itemsOf, nothing, textOf, type Value } from "./value.ts";

/** The keyword that a word is or begins with, in lower case: `if`, `while($true)`, `param($x)`. Undefined: it is none. */
export function keywordOf(word: PowerShellWord | undefined): string | undefined {
  if (word?.bare !== true) return undefined;
  const name = /^[a-z]+(?=$|\()/i.exec(word.text)?.[0].toLowerCase() ?? "";
  return isKeyword(name) ? name : undefined;
}

/** What stands between a keyword and its block: a condition, names, a list. */
export function headerOf(command: PowerShellCommand): string {
  const [first, ...rest] = command.words;
  const glued = first?.text.slice(keywordOf(first)?.length ?? 0) ?? "";
  return [glued, ...rest.filter((word) => !word.block).map((word) => word.text)].join(" ").trim();
}

/** A statement ends at its block: what follows on the same line is a command of its own. */
export function statements(command: PowerShellCommand): readonly PowerShellCommand[] {
  if (command.operator !== "") return [command];
  const found: PowerShellCommand[] = [];
  let start = 0;
  for (;;) {
    const end = endOfStatement(command.words, start);
    if (end === undefined) break;
    found.push({ ...command, words: command.words.slice(start, end), redirects: [] });
    start = end;
  }
  return start === 0 ? [command] : [...found, { ...command, words: command.words.slice(start) }];
}

function endOfStatement(words: readonly PowerShellWord[], start: number): number | undefined {
  const name = keywordOf(words[start]);
  if (name === undefined) {
    // `[CmdletBinding()] param (…)`, `[Flags()] enum X { … }`.
    const attribute =
      /^\[[a-z]+(\(.*)?\]$/is.test(words[start]?.text ?? "") && keywordOf(words[start + 1]) !== undefined;
    return attribute ? start + 1 : undefined;
  }
  if (name === "param") return until(words, words[start]?.nested.length === 0 ? start + 1 : start);
  if (/^(return|throw|exit|break|continue)$/.test(name)) return until(words, start);
  const block = words.findIndex((word, index) => index > start && word.block);
  // The condition of `do { … } while (…)` belongs to it.
  const tail = name === "do" ? words[block + 1] : undefined;
  if (!/^(while|until)$/.test(keywordOf(tail) ?? "")) return until(words, block);
  return until(words, tail?.nested.length === 0 ? block + 2 : block + 1);
}

/** Behind that word, where something is left. */
function until(words: readonly PowerShellWord[], last: number): number | undefined {
  return last === -1 || last >= words.length - 1 ? undefined : last + 1;
}

/** Runs what starts with a keyword; its blocks were walked once before. Undefined: it does not. */
export function runStatement(command: PowerShellCommand, walk: Walk): Piped | undefined {
  const name = keywordOf(command.words[0]);
  if (command.operator !== "" || name === undefined) return undefined;
  // `% { … }` and `| foreach { … }` are commands.
  if (name === "foreach" && (walk.input !== undefined || !headerOf(command).startsWith("("))) return undefined;
  const { found } = walk.state;
  const shown = command.words.map((word) => word.text).join(" ");
  found.opaque(shown, `${name} decides what runs, or changes what follows`, "syntax");
  switch (name) {
    case "function":
    case "filter":
    case "workflow":
      define(command, walk);
      return { value: nothing };
    case "foreach":
      loop(command, walk);
      return { value: nothing };
    case "while":
    case "for":
    case "do":
    case "until":
      findBombs(command, walk);
      return { value: nothing };
    default:
      // What a block gives is what the statement gives, whichever block it was.
      return { value: blocksOf(command, walk) };
  }
}

function blocksOf(command: PowerShellCommand, walk: Walk): Value {
  const outputs = command.words
    .filter((word) => word.block)
    .flatMap((word) => word.nested)
    .flatMap((from) => itemsOf(walk.outputs.get(from)));
  return { kind: "list", items: outputs };
}

/** `function NAME (PARAMETERS) { BODY }`. */
function define(command: PowerShellCommand, walk: Walk): void {
  const body = bodyOf(command, walk);
  const [, name = "", header = ""] =
    /^(?:(?:global|script|local|private):)?([^\s(]+)\s*([^]*)$/i.exec(headerOf(command)) ?? [];
  if (body === undefined) return;
  const parameters = parameterNames(header === "" ? body.text : header);
  const { script, from, to } = body;
  walk.session.functions.set(name.toLowerCase(), { page: walk.page, script, from, to, parameters });
  findBombs(command, walk);
}

/** The last block of a statement. */
function bodyOf(command: PowerShellCommand, { page }: Walk) {
  const from = command.words.find((word) => word.block)?.nested.at(-1);
  const nested = from === undefined ? undefined : page.nested.get(from);
  return from === undefined || nested === undefined
    ? undefined
    : { ...nested, from, text: page.text.slice(from, nested.to) };
}

/** The variables of `(…)` or of `param (…)`, in their order. */
export function parameterNames(header: string): readonly string[] {
  const list = /^\s*\(/.test(header) ? header : (/^\s*(?:\[[^\]]*\]\s*)*param\s*(\([^]*)/i.exec(header)?.[1] ?? "");
  const names: string[] = [];
  let depth = 0;
  const token = /\$([A-Za-z_]\w*)|[()]/g;
  for (let found = token.exec(list); found !== null; found = token.exec(list)) {
    if (found[0] === "(") depth += 1;
    else if (found[0] === ")") depth -= 1;
    else if (depth === 1) names.push((found[1] ?? "").toLowerCase());
    if (depth <= 0) break;
  }
  return names;
}

/** `foreach ($x in VALUES) { BODY }`: the body once more for each value that is known. */
function loop(command: PowerShellCommand, walk: Walk): void {
  const body = bodyOf(command, walk);
  const [, variable, source = ""] = /^\(\s*\$(\w+)\s+in\s+([^]*)\)$/i.exec(headerOf(command)) ?? [];
  if (body === undefined || variable === undefined) return;
  const page = parsePowerShell(source);
  const values = itemsOf(walk.steps.script(page.script, { ...walk, page, outputs: new Map(), input: undefined }));
  const name = variable.toLowerCase();
  for (const [turn, value] of values.entries()) {
    if (value === undefined) continue;
    if (!walk.state.again(body.text.length + 64)) {
      fearedTurns(body.text, values.slice(turn).map(textOf), true, walk.state);
      break;
    }
    walk.session.variables.set(name, value);
    walk.steps.script(body.script, walk);
  }
  walk.session.variables.delete(name);
}
