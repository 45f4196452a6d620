import { resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import type { ExecCall, ExecEnd, ExecSpec } from "../client/exec-call.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { visible } from "../text/visible.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { execEventJson } from "./exec-event-json.ts";
import { exitCode, exitCodeOf } from "./exit-code.ts";
import { forwardInterrupts } from "./forward-interrupts.ts";
import { forwardStdin } from "./forward-stdin.ts";
import { PipeClosed } from "./output.ts";
import { sessionId } from "./session-id.ts";
import { terminalSize, useTerminal } from "./use-terminal.ts";

interface ExecOptions extends SessionOptions {
  readonly shell?: string;
  readonly stdin: boolean;
  readonly interactive?: boolean;
  readonly tty?: boolean;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly maxOutput?: number;
}

/** `sallyport exec`: runs one command in the sandbox as if it ran here. */
export function registerExec(program: Command): void {
  const command = program
    .command("exec")
    .summary("run a command in the sandbox")
    .description("Runs a command in the sandbox: its input, output, signals and exit code are passed through.")
    .usage("[options] [--] program [arguments...]\n       sallyport exec [options] -c TEXT")
    .argument("[words...]", "program and arguments; no shell sees them")
    .option("-c, --shell <text>", "run shell text instead")
    .option("-i, --interactive", "forward standard input even from a terminal")
    .option("-n, --no-stdin", "forward nothing: the command reads end of file")
    .option("-t, --tty", "run on a terminal")
    .option("-C, --cwd <folder>", "working directory; the default is the session's workspace")
    .option("-e, --env <name=value>", "set a variable; may be repeated", collectVariable)
    .option("--max-output <bytes>", "drop output after this many bytes", byteCount)
    .passThroughOptions();
  clientAction(addSessionOptions(addCommonOptions(command)), runExec, execExitCode);
}

async function runExec(context: ActionContext): Promise<number> {
  const { client, command, stderr, paintError } = context;
  const options = command.opts<ExecOptions>();
  const { stdin } = process;
  const forward = options.stdin && (options.interactive === true || options.tty === true || !stdin.isTTY);
  const spec = execSpec(options, command.args, forward);
  const call = client.exec({ ...spec, sessionId: await sessionId(context) });
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

function exitOf(signal: number | undefined): number | undefined {
  return signal === undefined ? undefined : 128 + signal;
}

async function relay(call: ExecCall, context: ActionContext, started: () => void): Promise<number> {
  const { json, stdout, stderr } = context;
  let code: number = exitCode.server;
  for await (const event of call) {
    if (event.kind === "started") started();
    if (event.kind === "exit") code = event.code ?? 128 + (event.signal ?? 0);
    if (json) await stdout.json(execEventJson(event));
    else if (event.kind === "stdout") await stdout.bytes(event.data);
    else if (event.kind === "stderr") await stderr.bytes(event.data);
    else if (event.kind === "exit") await stderr.lines(endNotes(event));
  }
  return code;
}

function endNotes({ truncated, limit }: ExecEnd): string[] {
  return [
    ...(truncated ? ["sallyport: output was cut at its limit"] : []),
    ...(limit === "" ? [] : [`sallyport: ended by the ${visible(limit)} limit`]),
  ];
}

// A question may be open for minutes, and a silent prompt looks like a hang.
function noteWaiting({ json, stderr, paintError }: ActionContext): NodeJS.Timeout | undefined {
  if (json || !process.stderr.isTTY) return undefined;
  const text = "waiting: a person may have to answer (`sallyport approve`), or the sandbox is being made";
  return setTimeout(() => void stderr.lines([paintError.dim(text)]).catch(() => {}), 1500);
}

function execSpec(options: ExecOptions, words: readonly string[], stdin: boolean): ExecSpec {
  const { shell } = options;
  if (shell !== undefined && words.length > 0) throw usage("give a program with its arguments or -c TEXT, not both");
  if (shell === undefined && words.length === 0) throw usage("give a program with its arguments, or -c TEXT");
  return {
    command: shell === undefined ? { argv: words } : { shell },
    stdin,
    ...(options.cwd === undefined ? {} : { cwd: resolve(options.cwd) }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.tty === true ? { pty: terminalSize(process.stdout) } : {}),
    ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout }),
    ...(options.maxOutput === undefined ? {} : { maxOutputBytes: options.maxOutput }),
  };
}

// As a shell would: 126 refused, 127 no such program. Everything that kept the command from running is 125.
function execExitCode(error: SallyportError): number {
  if (error.code === "not_found") return /\bcommand$/.test(error.field ?? "") ? exitCode.notFound : exitCode.server;
  const code = exitCodeOf(error);
  return code === exitCode.failed ? exitCode.server : code;
}

function usage(reason: string): SallyportError {
  return new SallyportError("invalid_argument", reason, { field: "command" });
}

function collectVariable(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const cut = text.indexOf("=");
  if (cut < 1) throw new InvalidArgumentError("It must be NAME=VALUE.");
  return { ...before, [text.slice(0, cut)]: text.slice(cut + 1) };
}

function byteCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count) || count < 1)
    throw new InvalidArgumentError("It must be a whole number of bytes, at least 1.");
  return count;
}
