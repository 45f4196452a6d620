import { commandText } from "../compose/command-text.ts";
import { textOf } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { unchanged, type Outcome } from "../walk/outcome.ts";
import { onlyChecking, opaque, type Walk } from "../walk/walk.ts";
import { optionSpec, readOptions } from "./option-spec.ts";
import { runWrapper } from "./run-wrapper.ts";
import { wrappers } from "./wrapper-table.ts";

const options = optionSpec("2 8 C D h l N u U v V c: f: L: S: T:");

/** `tmux [options] COMMAND [\; COMMAND]…`: some of its commands start programs, or type them into a shell. */
export function runTmux(call: Invocation, walk: Walk): Outcome {
  const [first, ...words] = call.argv;
  emitCommand(call, walk);
  opaque(walk, commandText(call.argv), "it goes on in a session of its own", "program");
  if (first === undefined) return unchanged(call.state);
  const { end } = readOptions(words, 0, options);
  for (const command of commandsOf(words.slice(end))) {
    const row = wrappers.get(`tmux ${textOf(command[0]) ?? ""}`);
    if (row !== undefined) runWrapper(row, 2, { ...call, argv: [first, ...command] }, onlyChecking(walk));
  }
  return unchanged(call.state);
}

/** Split at words that are or end in a semicolon. */
function commandsOf(words: readonly Word[]): Word[][] {
  const commands: Word[][] = [[]];
  for (const word of words) {
    const text = textOf(word);
    if (text?.endsWith(";") === true && !text.endsWith("\\;")) {
      if (text !== ";") commands.at(-1)?.push({ kind: "literal", value: text.slice(0, -1) });
      commands.push([]);
    } else commands.at(-1)?.push(word);
  }
  return commands;
}
