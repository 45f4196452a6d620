import type { Command } from "commander";
import {
  BackgroundProcessSchema,
  ExecServiceWatchResponseSchema,
  type BackgroundProcess,
} from "../../gen/sallyport/v1/exec_pb.ts";
import { visible } from "../text/visible.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { printRows } from "./print-rows.ts";
import { sessionId } from "./session-id.ts";

interface PsOptions extends SessionOptions {
  readonly watch?: boolean;
}

/** `sallyport ps`: what runs in the background. */
export function registerPs(program: Command): void {
  const command = program
    .command("ps")
    .summary("list processes in the background")
    .description("List processes that run in the background or ended lately, the newest first.")
    .option("--watch", "print starts and ends as they come, too");
  clientAction(addSessionOptions(addCommonOptions(command)), run);
}

async function run(context: ActionContext): Promise<number> {
  const { client, command, callOptions } = context;
  const session = await sessionId(context);
  if (command.opts<PsOptions>().watch === true) return watch(context, session);
  const { processes } = await client.commands.list({ sessionId: session }, callOptions);
  const heading = ["process", "state", "started", "output", "command"];
  await printRows(context, BackgroundProcessSchema, processes, heading, (process) => [
    process.processId,
    stateOf(process),
    process.startedAt,
    String(process.outputBytes),
    process.command,
  ]);
  return exitCode.ok;
}

async function watch({ client, json, stdout, callOptions }: ActionContext, session: string): Promise<number> {
  for await (const response of client.commands.watch({ sessionId: session }, callOptions)) {
    const { event } = response;
    if (json) await stdout.message(ExecServiceWatchResponseSchema, response);
    else if (event.case !== undefined) {
      const { processId, command } = event.value;
      await stdout.lines([visible(`${event.case.padEnd(7)}  ${processId}  ${stateOf(event.value)}  ${command}`)]);
    }
  }
  return exitCode.ok;
}

function stateOf({ exit, failure, superseded }: BackgroundProcess): string {
  if (failure !== "") return `lost: ${failure}`;
  if (exit === undefined) return superseded ? "runs (in an older container)" : "runs";
  const { status, limit } = exit;
  const how = status.case === "signal" ? `signal ${status.value}` : `exit ${status.value ?? 0}`;
  return limit === "" ? how : `${how} (${limit})`;
}
