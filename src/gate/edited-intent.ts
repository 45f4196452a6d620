import type { Command, Intent } from "../model/intent.ts";
import { invalid } from "../model/problem.ts";

/** Longest shell text in UTF-16 units, as for a caller's. */
const longestShell = 32_768;
const longestArgv = 131_072;
const mostWords = 4096;

/** The command of a request as a text that a person may change: shell text as it is, the words of an argv as a JSON array. Undefined where it has none. */
export function commandText(intent: Intent): string | undefined {
  if (intent.kind !== "exec") return undefined;
  return intent.command.kind === "shell" ? intent.command.text : JSON.stringify(intent.command.argv);
}

/** The request with another command in the form of `commandText`, and else the same. @throws Problem `invalid_argument` where the text is no command. */
export function editedIntent<I extends Intent>(intent: I, text: string): I {
  if (intent.kind !== "exec") throw invalid("edited", "only a command can be edited");
  if (text.includes("\0") || !text.isWellFormed()) throw invalid("edited", "holds what no command can hold");
  const command: Command =
    intent.command.kind === "shell"
      ? { kind: "shell", shell: intent.command.shell, text: shellText(text) }
      : { kind: "argv", argv: words(text) };
  return { ...intent, command };
}

function shellText(text: string): string {
  if (text.length > longestShell) throw invalid("edited", `longer than ${longestShell} UTF-16 units`);
  if (text.trim() === "") throw invalid("edited", "holds no command");
  return text;
}

function words(text: string): readonly [string, ...string[]] {
  if (text.length > longestArgv) throw invalid("edited", `longer than ${longestArgv} UTF-16 units`);
  const [program, ...rest] = listOf(text);
  if (program === undefined || program === "") throw invalid("edited", "the program must be set");
  if (rest.length >= mostWords) throw invalid("edited", `more than ${mostWords} words`);
  if ([program, ...rest].some((word) => word.includes("\0") || !word.isWellFormed()))
    throw invalid("edited", "holds what no command can hold");
  return [program, ...rest];
}

function listOf(text: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!Array.isArray(value)) throw invalid("edited", "must be the words as a JSON array of strings");
  return value.map((word: unknown) => {
    if (typeof word !== "string") throw invalid("edited", "must be the words as a JSON array of strings");
    return word;
  });
}
