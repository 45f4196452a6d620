import { Buffer } from "node:buffer";
import { InvalidArgumentError, type Command } from "commander";
import type { AttachResponse } from "../../gen/sallyport/v1/exec_pb.ts";
import { execEnd } from "../client/exec-end.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { endNotes } from "./end-notes.ts";
import { execEndJson } from "./exec-event-json.ts";
import { exitCode } from "./exit-code.ts";
import { sendInput } from "./send-input.ts";
import { sessionId } from "./session-id.ts";

interface AttachOptions extends SessionOptions {
  readonly offset?: bigint;
  readonly interactive?: boolean;
  readonly follow?: boolean;
}

/** `sallyport attach` and `sallyport logs`: what a background process says. */
export function registerAttach(program: Command): void {
  const attach = program
    .command("attach")
    .summary("follow a process in the background to its end")
    .description(
      "Follows a process in the background: its output from the start, and its exit code. Ctrl-C leaves it running.",
    )
    .argument("<process>", "its name, as `exec --background` and `ps` print it")
    .option("-i, --interactive", "forward standard input to it; the end of that closes its input");
  clientAction(addSessionOptions(addCommonOptions(addOffset(attach))), (context) => follow(context, true));
  const logs = program
    .command("logs")
    .summary("print what a process in the background has said")
    .description("Prints the output of a process in the background, as far as it is kept.")
    .argument("<process>", "its name, as `exec --background` and `ps` print it")
    .option("-f, --follow", "go on until it ends");
  clientAction(addSessionOptions(addCommonOptions(addOffset(logs))), async (context) => {
    await follow(context, context.command.opts<AttachOptions>().follow === true);
    return exitCode.ok;
  });
}

function addOffset(command: Command): Command {
  return command.option("--offset <bytes>", "start at this byte of its output", byteOffset);
}

async function follow(context: ActionContext, toTheEnd: boolean): Promise<number> {
  const { client, command, callOptions } = context;
  const { offset = 0n, interactive } = command.opts<AttachOptions>();
  const named = { sessionId: await sessionId(context), processId: command.args[0] ?? "" };
  let code: number = exitCode.ok;
  let undo: (() => void) | undefined;
  const events = client.commands.attach({ ...named, offset, untilNow: !toTheEnd }, callOptions);
  try {
    if (interactive === true) undo = sendInput(process.stdin, client, named);
    for await (const event of events) code = (await print(context, event)) ?? code;
  } finally {
    undo?.();
  }
  return code;
}

/** Returns the exit code where it ended. */
async function print(
  { json, stdout, stderr }: ActionContext,
  { offset, event }: AttachResponse,
): Promise<number | undefined> {
  switch (event.case) {
    case "stdout":
    case "stderr":
      if (json)
        await stdout.json({
          offset: String(offset),
          event: event.case,
          data: Buffer.from(event.value).toString("base64"),
        });
      else await (event.case === "stdout" ? stdout : stderr).bytes(event.value);
      return undefined;
    case "lost":
      if (json) await stdout.json({ offset: String(offset), event: "lost", bytes: String(event.value.bytes) });
      else await stderr.lines([`sallyport: ${event.value.bytes} bytes of output from ${offset} on are kept no longer`]);
      return undefined;
    case "exit": {
      const end = execEnd(event.value);
      if (json) await stdout.json({ offset: String(offset), ...execEndJson(end) });
      else await stderr.lines(endNotes(end));
      return end.code ?? 128 + (end.signal ?? 0);
    }
    default:
      return undefined;
  }
}

function byteOffset(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError("It must be a number of bytes.");
  return BigInt(text);
}
