import type { RunEffect } from "../../../model/effect.ts";
import { anyWordWillDo } from "../programs/harmless-words.ts";
import { isReadOnlyCommand } from "../programs/read-only.ts";
import { shown } from "../programs/words.ts";
import type { SimpleCommand } from "../simple-command.ts";
import { commandText } from "./command-text.ts";
import type { Forms } from "./forms.ts";
import { knownNumbers } from "./known-numbers.ts";

/** The start of a program, as rules see it. */
export function runEffect(command: SimpleCommand, around: Forms | undefined): RunEffect {
  const { argv } = command;
  const words = argv.map(shown);
  const first = words[0] ?? "";
  const dynamic = knownNumbers(argv).some((word) => word.kind === "dynamic") && !anyWordWillDo(argv);
  return {
    kind: "run",
    program: first.slice(first.lastIndexOf("/") + 1),
    argv: words,
    text: commandText(argv),
    ...(around !== undefined && { aliases: around.texts }),
    ...(dynamic && { dynamic }),
    ...(isReadOnlyCommand(command) && { readOnly: true }),
  };
}
