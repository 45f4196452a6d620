import type { Command } from "commander";
import type { CallOptions } from "../client/call-options.ts";
import { createClient, type SallyportClient } from "../client/create-client.ts";
import { decodeError } from "../client/decode-error.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { palette, type Palette } from "../text/palette.ts";
import { connectionOptions, type CommonOptions } from "./common-options.ts";
import { errorJson, errorLines } from "./error-lines.ts";
import { exitCode, exitCodeOf } from "./exit-code.ts";
import { output, PipeClosed, type Output } from "./output.ts";

/** What a command works with. */
export interface ActionContext {
  readonly command: Command;
  readonly client: SallyportClient;
  readonly json: boolean;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Colours for stdout and for stderr. */
  readonly paint: Palette;
  readonly paintError: Palette;
  /** The deadline of `--timeout`, where one was given. */
  readonly callOptions: CallOptions;
}

/** Does the work and returns the exit code. */
export type Action = (context: ActionContext) => Promise<number>;

/** How a command maps errors to exit codes where it differs from the rest. */
export type ExitCodes = (error: SallyportError) => number;

/** Makes `command` connect, act, report what fails and set the process's exit code. */
export function clientAction(command: Command, action: Action, exitCodes: ExitCodes = exitCodeOf): Command {
  return command.action(async () => {
    process.exitCode = await perform(command, action, exitCodes);
  });
}

async function perform(command: Command, action: Action, exitCodes: ExitCodes): Promise<number> {
  const { json = false, timeout } = command.opts<CommonOptions>();
  const stdout = output(process.stdout);
  const stderr = output(process.stderr);
  const paintError = palette(process.stderr, process.env);
  let client: SallyportClient | undefined;
  let server = "";
  try {
    const connection = connectionOptions(command);
    server = connection.address ?? connection.socket ?? "";
    client = createClient(connection);
    const callOptions = timeout === undefined ? {} : { timeoutMs: timeout };
    const paint = palette(process.stdout, process.env);
    return await action({ command, client, json, stdout, stderr, paint, paintError, callOptions });
  } catch (thrown) {
    if (thrown instanceof PipeClosed) return exitCode.pipeClosed;
    const error = isSystemError(thrown)
      ? new SallyportError("failed_precondition", thrown.message)
      : decodeError(thrown);
    // The message is lost where even stderr is gone; the exit code still tells.
    await (json ? stdout.json(errorJson(error)) : stderr.lines(errorLines(error, paintError, server))).catch(() => {});
    return exitCodes(error);
  } finally {
    client?.close();
  }
}

// A local file that cannot be read or written is the caller's matter, not the server's.
function isSystemError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && "syscall" in thrown && "errno" in thrown;
}
