import { fearedTurns } from "../programs/feared-text.ts";
import { findBombs } from "./fork-bombs.ts";
import { parsePowerShell } from "./parse-powershell.ts";
import { isKeyword } from "./powershell-names.ts";
import type { PowerShellCommand, PowerShellWord } from "./powershell-script.ts";
import type { Piped, Walk } from "./session.ts";
import { itemsOf, nothing, textOf, type Value } from "./value.ts";

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
  const name = words[start]?.text.toLowerCase() ?? "";
  if (!isKeyword(name)) return undefined;
  if (/^(return|throw|exit)$/.test(name)) return start === words.length - 1 ? undefined : start + 1;
  const block = words.findIndex((word, index) => index > start && word.block);
  return block === -1 || block === words.length - 1 ? undefined : block + 1;
}

/** Runs what starts with a keyword; its blocks were walked once before. Undefined: it does not. */
export function runStatement(command: PowerShellCommand, walk: Walk): Piped | undefined {
  const [first, ...rest] = command.words;
  const name = first?.text.toLowerCase() ?? "";
  if (command.operator !== "" || first?.bare !== true || !isKeyword(name)) return undefined;
  // `% { … }` and `| foreach { … }` are commands.
  if (name === "foreach" && (walk.input !== undefined || rest[0]?.block === true)) return undefined;
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
      loop(rest, walk);
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
  const [, name, ...rest] = command.words;
  const body = rest.find((word) => word.block)?.nested.at(-1);
  const nested = body === undefined ? undefined : walk.page.nested.get(body);
  if (name === undefined || nested === undefined || body === undefined) return;
  const [plain = "", glued = ""] = name.text.split(/(?=\()/);
  const header =
    glued +
    rest
      .filter((word) => !word.block)
      .map((word) => word.text)
      .join(" ");
  const inside = walk.page.text.slice(body, nested.to);
  const parameters = parameterNames(header === "" ? inside : header);
  const own = plain.toLowerCase().replace(/^(global|script|local|private):/, "");
  walk.session.functions.set(own, { page: walk.page, script: nested.script, from: body, to: nested.to, parameters });
  findBombs(command, walk);
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
function loop(words: readonly PowerShellWord[], walk: Walk): void {
  const [header] = words;
  const body = words.find((word) => word.block)?.nested.at(-1);
  const nested = body === undefined ? undefined : walk.page.nested.get(body);
  const found = /^\(\s*\$(\w+)\s+in\s+([^]*)\)$/i.exec(header?.text ?? "");
  if (nested === undefined || found?.[1] === undefined || body === undefined) return;
  const page = parsePowerShell(found[2] ?? "");
  const values = itemsOf(walk.steps.script(page.script, { ...walk, page, outputs: new Map(), input: undefined }));
  const name = found[1].toLowerCase();
  const length = nested.to - body;
  for (const [turn, value] of values.entries()) {
    if (value === undefined) continue;
    if (!walk.state.again(length + 64)) {
      fearedTurns(walk.page.text.slice(body, nested.to), values.slice(turn).map(textOf), true, walk.state);
      break;
    }
    walk.session.variables.set(name, value);
    walk.steps.script(nested.script, walk);
  }
  walk.session.variables.delete(name);
}
