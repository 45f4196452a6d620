import { fearedTurns } from "../programs/feared-text.ts";
import { findBombs } from "./find-bombs.ts";
import { parsePowerShell } from "./parse-powershell.ts";
import { headerOf, keywordOf, parameterNames } from "./statements.ts";
import type { PowerShellCommand } from "./powershell-script.ts";
import type { Piped, Walk } from "./session.ts";
import { itemsOf, nothing, textOf, type Value } from "./value.ts";

const partOfFunction = /^(begin|process|end|clean|dynamicparam|parallel|sequence|inlinescript)$/;

/** Runs what starts with a keyword; its blocks were walked once before. Undefined: it does not. */
export function runStatement(command: PowerShellCommand, walk: Walk): Piped | undefined {
  const name = keywordOf(command.words[0]);
  if (command.operator !== "" || name === undefined) return undefined;
  // `% { … }` and `| foreach { … }` are commands.
  if (name === "foreach" && (walk.input !== undefined || !headerOf(command).startsWith("("))) return undefined;
  // Elsewhere than in front of a block these are names like any other: `function clean { … }; clean C:\`.
  if (partOfFunction.test(name) && command.words[1]?.block !== true) return undefined;
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

/** `foreach ($x in VALUES) { BODY }`: the body once more for each value that is known. */
function loop(command: PowerShellCommand, walk: Walk): void {
  const body = bodyOf(command, walk);
  const [, variable, source = ""] = /^\(\s*\$(\w+)\s+in\s+([^]*)\)$/i.exec(headerOf(command)) ?? [];
  if (body === undefined || variable === undefined) return;
  const page = parsePowerShell(source, walk.state.work);
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
