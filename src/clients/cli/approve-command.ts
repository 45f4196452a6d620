import { constants } from "node:os";
import type { Command } from "commander";
import { SallyportError } from "../client/sallyport-error.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, type CommonOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";

/** `sallyport approve`: answer open questions with the arrow keys. */
export function registerApprove(program: Command): void {
  const command = program
    .command("approve")
    .summary("answer open questions")
    .description("Show the open questions and answer them with the arrow keys. Needs a terminal.")
    .option("--watch", "stay and wait for more");
  clientAction(addCommonOptions(command), approve);
}

async function approve({ client, command, json, callOptions }: ActionContext): Promise<number> {
  const { watch = false } = command.opts<CommonOptions & { watch?: boolean }>();
  if (json)
    throw new SallyportError("invalid_argument", "approve is for people; see `sallyport approvals --json`", {
      field: "json",
    });
  // Only here: the prompt library would slow the start of every other command.
  const { runApprover } = await import("../approver/run-approver.ts");
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.on("SIGTERM", stop);
  const timer = callOptions.timeoutMs === undefined ? undefined : setTimeout(stop, callOptions.timeoutMs);
  try {
    const end = await runApprover({
      client,
      input: process.stdin,
      output: process.stdout,
      signal: controller.signal,
      once: !watch,
    });
    return end === "interrupted" ? 128 + constants.signals.SIGINT : exitCode.ok;
  } finally {
    clearTimeout(timer);
    process.off("SIGTERM", stop);
  }
}
