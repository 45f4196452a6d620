import type { Command } from "commander";
import type { ExecCall } from "../client/exec-call.ts";
import type { ExecSpec } from "../client/exec-spec.ts";
import type { SallyportError } from "../client/sallyport-error.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions } from "./common-options.ts";
import { endNotes, insteadNotes } from "./end-notes.ts";
import { execEventJson } from "./exec-event-json.ts";
import { addExecOptions, addLimitOptions, execSpec, type ExecOptions } from "./exec-options.ts";
import { exitCode, exitCodeOf } from "./exit-code.ts";
import { forwardInterrupts } from "./forward-interrupts.ts";
import { forwardStdin } from "./forward-stdin.ts";
import { PipeClosed } from "./output.ts";
import { sessionId } from "./session-id.ts";
import { textHint } from "./text-hint.ts";
import { useTerminal } from "./use-terminal.ts";

/** `sallyport exec`: runs one command in the sandbox as if it ran here. */
export function registerExec(program: Command): void {
  const command = program
    .command("exec")
    .summary("run a command in the sandbox")
    .description("Runs a command in the sandbox: its input, output, signals and exit code are passed through.")
    .usage("[options] [--] program [arguments...]\n       sallyport exec [options] -c TEXT")
    .argument("[words...]", "program and arguments; no shell sees them")
    .passThroughOptions();
  const complete = addLimitOptions(addSessionOptions(addCommonOptions(addExecOptions(command))));
  clientAction(complete, runExec, execExitCode);
}

async function runExec(context: ActionContext): Promise<number> {
  const { client, command, stderr, paintError } = context;
  const options = command.opts<ExecOptions>();
  const { stdin } = process;
  const forward = options.stdin && (options.interactive === true || options.tty === true || !stdin.isTTY);
  const spec = execSpec(options, command.args, options.background === true ? options.interactive === true : forward);
  // Before anybody is asked about a program that there hardly is.
  await stderr.lines(textHint(command.args));
  const session = await sessionId(context);
  if (options.background === true) return runInBackground(context, { ...spec, sessionId: session });
  const call = client.exec({ ...spec, sessionId: session });
  const interrupts = forwardInterrupts(call, (text) => void stderr.lines([paintError.dim(text)]).catch(() => {}));
  // The terminal first: it cannot be given back once stdin is closed.
  const undo: (() => void)[] = [];
  function started(): void {
    interrupts.started();
    // Only now: a command that is refused must not have eaten the caller's input, and Ctrl-C works until here.
    if (options.tty === true) undo.push(useTerminal(call));
    if (forward) undo.push(forwardStdin(stdin, call));
  }
  const waiting = noteWaiting(context);
  try {
    const code = await relay(call, context, () => {
      clearTimeout(waiting);
      started();
    });
    return exitOf(interrupts.cancelledBy()) ?? code;
  } catch (error) {
    const code = exitOf(interrupts.cancelledBy());
    if (code === undefined || error instanceof PipeClosed) throw error;
    return code;
  } finally {
    clearTimeout(waiting);
    interrupts.stop();
    for (const step of undo) step();
  }
}

async function runInBackground({ client, json, stdout, stderr }: ActionContext, spec: ExecSpec): Promise<number> {
  const { processId, ...started } = await client.background(spec);
  if (json) await stdout.json(execEventJson({ kind: "started", entryId: processId, ...started }));
  else {
    await stdout.lines([processId]);
    await stderr.lines(insteadNotes(started));
  }
  return exitCode.ok;
}

function exitOf(signal: number | undefined): number | undefined {
  return signal === undefined ? undefined : 128 + signal;
}

async function relay(call: ExecCall, context: ActionContext, started: () => void): Promise<number> {
  const { json, stdout, stderr } = context;
  let code: number = exitCode.server;
  for await (const event of call) {
    if (event.kind === "started") {
      started();
      if (!json) await stderr.lines(insteadNotes(event));
    }
    if (event.kind === "exit") code = event.code ?? 128 + (event.signal ?? 0);
    if (json) await stdout.json(execEventJson(event));
    else if (event.kind === "stdout") await stdout.bytes(event.data);
    else if (event.kind === "stderr") await stderr.bytes(event.data);
    else if (event.kind === "exit") await stderr.lines(endNotes(event));
  }
  return code;
}

// A question may be open for minutes, and a silent prompt looks like a hang.
function noteWaiting({ json, stderr, paintError }: ActionContext): NodeJS.Timeout | undefined {
  if (json || !process.stderr.isTTY) return undefined;
  const text = "waiting: a person may have to answer (`sallyport approve`), or the sandbox is being made";
  return setTimeout(() => void stderr.lines([paintError.dim(text)]).catch(() => {}), 1500);
}

// As a shell would: 126 refused, 127 no such program. Everything that kept the command from running is 125.
function execExitCode(error: SallyportError): number {
  if (error.code === "not_found") return /\bcommand$/.test(error.field ?? "") ? exitCode.notFound : exitCode.server;
  const code = exitCodeOf(error);
  return code === exitCode.failed ? exitCode.server : code;
}
