import { fearedText } from "../programs/feared-text.ts";
import type { WindowsState } from "../windows-state.ts";
import { parsePowerShell } from "./parse-powershell.ts";
import type { PowerShellCommand, PowerShellPipeline, PowerShellScript, PowerShellWord } from "./powershell-script.ts";
import { assign } from "./assign.ts";
import { runCommand } from "./run-command.ts";
import { runStatement } from "./run-statement.ts";
import { statements } from "./statements.ts";
import { freshSession, type Walk } from "./session.ts";
import { gathered, itemsOf, type Value } from "./value.ts";

/** Most values of a script that are passed on. */
const maxValues = 8192;

/** Work for what is read and walked, beside what the reader, cmdlets and programs count. */
const unitsOfCharacter = 1 / 40;
const unitsOfCommand = 8;
const unitsOfWord = 3;

/** Walks PowerShell text: what it runs, what that does to files, and what of it the blocklist forbids. */
export function walkPowerShell(source: string, state: WindowsState): void {
  const page = parsePowerShell("", state.work);
  const steps = { script: walkScript, text: walkText };
  walkText(source, {
    state,
    session: freshSession(),
    page,
    outputs: new Map(),
    input: undefined,
    item: undefined,
    steps,
  });
}

function walkText(source: string, walk: Walk): Value {
  const { found, work } = walk.state;
  work.spend(6 + source.length * unitsOfCharacter);
  const page = parsePowerShell(source, work);
  if (page.broken) found.opaque(source, "a quote or a bracket is not closed", "syntax");
  if (page.tooDeep) {
    found.opaque(source, "brackets are nested too deep", "unread");
    fearedText(source, walk.state);
  }
  const value = walkScript(page.script, { ...walk, page, outputs: new Map() });
  if (/[^\s]#/.test(source)) {
    const other = parsePowerShell(source, work, true);
    walkScript(other.script, { ...walk, page: other, outputs: new Map() });
  }
  return value;
}

function walkScript(script: PowerShellScript, walk: Walk): Value {
  const values: Value[] = [];
  for (const pipeline of script) {
    const before = walk.state.earlier;
    for (const value of itemsOf(walkPipeline(pipeline, walk))) if (values.length < maxValues) values.push(value);
    // Behind `&&` the folder is the new one: the command before has not failed.
    if (pipeline.join === "&&") walk.state.earlier = before;
    if (pipeline.background)
      walk.state.found.opaque("&", "a background job runs in a folder and a session of its own", "syntax");
  }
  return gathered(values);
}

function walkPipeline({ commands, join }: PowerShellPipeline, walk: Walk): Value {
  if (join === "&&") walk.state.earlier = [];
  let input: Walk["input"];
  let value: Value;
  for (const [index, command] of commands.entries()) {
    if (index > 0) input = { value };
    value = undefined;
    const inside = input === walk.input ? walk : { ...walk, input };
    for (const part of statements(command)) value = walkCommand(part, inside);
  }
  const [first] = commands;
  if (first !== undefined) for (const target of first.assigns) assign(target, value, first, walk);
  return (first?.assigns.length ?? 0) > 0 ? { kind: "list", items: [] } : value;
}

function walkCommand(command: PowerShellCommand, walk: Walk): Value {
  walk.state.work.spend(unitsOfCommand + command.words.length * unitsOfWord);
  const inside: Walk = walk.input === undefined ? walk : { ...walk, input: undefined, item: walk.input };
  const look = (word: PowerShellWord): void => {
    for (const from of word.nested) {
      const nested = walk.page.nested.get(from);
      if (nested !== undefined) walk.outputs.set(from, walk.steps.script(nested.script, inside));
    }
  };
  command.words.forEach(look);
  command.targets.forEach(look);
  for (const { target } of command.redirects) look(target);
  const done = runStatement(command, walk);
  return done === undefined ? runCommand(command, walk) : done.value;
}
