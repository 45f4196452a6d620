import { constants } from "node:os";
import { InvalidArgumentError, type Command } from "commander";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface KillOptions extends SessionOptions {
  readonly signal?: number;
}

/** `sallyport kill`: ends a running command, or sends it a signal. */
export function registerKill(program: Command): void {
  const command = program
    .command("kill")
    .summary("end a running command, or send it a signal")
    .description(
      "Ends a running command and everything that it started: SIGTERM, and SIGKILL after its grace period. With -s only sends a signal to its process group.",
    )
    .argument("<process>", "its name, as `exec --background`, `exec --json` and `ps` print it")
    .option("-s, --signal <signal>", "send this signal, such as INT or 2, and leave the rest to the command", signal);
  clientAction(addSessionOptions(addCommonOptions(command)), run);
}

async function run(context: ActionContext): Promise<number> {
  const { client, command, callOptions } = context;
  const named = { sessionId: await sessionId(context), processId: command.args[0] ?? "" };
  const number = command.opts<KillOptions>().signal;
  if (number === undefined) await client.commands.stop(named, callOptions);
  else await client.commands.signal({ ...named, signal: number }, callOptions);
  return exitCode.ok;
}

function signal(text: string): number {
  const names: Readonly<Record<string, number>> = constants.signals;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : names[`SIG${text.toUpperCase().replace(/^SIG/, "")}`];
  if (number === undefined || number < 1 || number > 64)
    throw new InvalidArgumentError("It must be a signal such as INT, SIGTERM or 9.");
  return number;
}
