import type { Command } from "../model/intent.ts";
import { Problem } from "../model/problem.ts";

/** Where bash must be in an image for shell text to run. */
export const bashPath = "/bin/bash";

/** The words that run: the judged text as one argument of bash, byte for byte, or the judged vector. @throws Problem `failed_precondition`. */
export function commandLine(command: Command): readonly string[] {
  if (command.kind === "argv") return command.argv;
  if (command.shell !== "bash")
    throw new Problem(
      "failed_precondition",
      `command.shell: ${command.shell} does not run in a Linux sandbox: use bash`,
      {
        field: "command.shell",
      },
    );
  return [bashPath, "--noprofile", "--norc", "-c", command.text];
}
