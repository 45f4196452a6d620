import type { RunRequest } from "../../gen/sallyport/v1/exec_pb.ts";
import { exhausted } from "../../model/exhausted.ts";
import { invalid } from "../../model/problem.ts";
import type { ExecIntent } from "../../model/intent.ts";
import type { Process } from "../../model/runtime.ts";
import { decodeSignal, decodeWindowSize } from "../decode/command.ts";
import { decodePart } from "../decode/file-requests.ts";
import { inputAhead } from "./input-ahead.ts";

/**
 * Brings the steps after `start` to a running command until the caller half-closes, which closes its standard input. Signals and sizes
 * overtake input that the command has not read. A command that does not read slows the caller, once a few MiB wait for it.
 * @throws Problem `invalid_argument` for a step that does not fit.
 */
export async function feedCommand(
  steps: AsyncIterator<RunRequest>,
  process: Pick<Process, "writeStdin" | "closeStdin" | "resize" | "signal">,
  intent: ExecIntent,
): Promise<void> {
  const input = inputAhead(process);
  let open = intent.stdin;
  for (;;) {
    const next = await steps.next();
    if (next.done === true) {
      process.closeStdin();
      return;
    }
    const { step } = next.value;
    switch (step.case) {
      case "start":
        throw invalid("start", "was sent before");
      case "stdin":
        if (!open) throw invalid("stdin", intent.stdin ? "is closed" : "start.stdin is not set");
        await input.write(decodePart("stdin", step.value));
        break;
      case "closeStdin":
        open = false;
        process.closeStdin();
        break;
      case "resize":
        if (intent.pty === undefined) throw invalid("resize", "start.pty is not set");
        process.resize(decodeWindowSize("resize", step.value));
        break;
      case "signal":
        process.signal(decodeSignal("signal", step.value));
        break;
      case undefined:
        throw invalid("step", "must be set");
      default:
        exhausted(step);
    }
  }
}
