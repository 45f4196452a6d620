import { resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import type { ExecLimits, ExecSpec } from "../client/exec-spec.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { parseDuration } from "../text/duration.ts";
import { parseBytes } from "../text/quantity.ts";
import type { SessionOptions } from "./common-options.ts";
import { terminalSize } from "./use-terminal.ts";

/** The options of `exec`. */
export interface ExecOptions extends SessionOptions {
  readonly shell?: string;
  readonly stdin: boolean;
  readonly interactive?: boolean;
  readonly tty?: boolean;
  readonly background?: boolean;
  readonly keep?: boolean;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly maxOutput?: number;
  readonly endAtMaxOutput?: boolean;
  readonly idleTimeout?: number;
  readonly grace?: number;
  readonly memory?: number;
  readonly cpuTime?: number;
  readonly pids?: number;
  readonly openFiles?: number;
  readonly fileSize?: number;
}

/** Adds what it runs and how; its limits come after all other options in the help. */
export function addExecOptions(command: Command): Command {
  return command
    .option("-c, --shell <text>", "run shell text instead")
    .option("-i, --interactive", "forward standard input even from a terminal")
    .option("-n, --no-stdin", "forward nothing: the command reads end of file")
    .option("-t, --tty", "run on a terminal")
    .option("-b, --background", "print the process's name and leave it running; -i lets `attach -i` write to it")
    .option("-k, --keep", "where this call ends early, the command goes on in the background")
    .option("-C, --cwd <folder>", "working directory; the default is the session's workspace")
    .option("-e, --env <name=value>", "set a variable; may be repeated", collectVariable);
}

/** Adds the limits of the command. */
export function addLimitOptions(command: Command): Command {
  return command
    .optionsGroup("Limits of this command:")
    .option("--idle-timeout <duration>", "end it after so long without output and input", duration)
    .option("--grace <duration>", "from SIGTERM to SIGKILL where it is ended; 0 for none", grace)
    .option("--max-output <size>", "drop output after so many bytes", size)
    .option("--end-at-max-output", "end it there instead")
    .option("--memory <size>", "memory of all its processes", size)
    .option("--cpu-time <duration>", "CPU time of all its processes", duration)
    .option("--pids <count>", "processes", count)
    .option("--open-files <count>", "open files of each process", count)
    .option("--file-size <size>", "size of each file that it writes", size);
}

/** What to run. @throws SallyportError `invalid_argument` */
export function execSpec(options: ExecOptions, words: readonly string[], stdin: boolean): ExecSpec {
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
    ...(options.idleTimeout === undefined ? {} : { idleTimeoutMs: options.idleTimeout }),
    ...(options.grace === undefined ? {} : { graceMs: options.grace }),
    ...(options.maxOutput === undefined ? {} : { maxOutputBytes: options.maxOutput }),
    ...(options.endAtMaxOutput === true ? { endAtMaxOutput: true } : {}),
    ...(options.keep === true ? { onDisconnect: "keep" } : {}),
    limits: limitsOf(options),
  };
}

function limitsOf({ memory, cpuTime, pids, openFiles, fileSize }: ExecOptions): ExecLimits {
  return {
    ...(memory === undefined ? {} : { memoryBytes: memory }),
    ...(cpuTime === undefined ? {} : { cpuMs: cpuTime }),
    ...(pids === undefined ? {} : { pids }),
    ...(openFiles === undefined ? {} : { openFiles }),
    ...(fileSize === undefined ? {} : { fileBytes: fileSize }),
  };
}

function usage(reason: string): SallyportError {
  return new SallyportError("invalid_argument", reason, { field: "command" });
}

function collectVariable(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const cut = text.indexOf("=");
  if (cut < 1) throw new InvalidArgumentError("It must be NAME=VALUE.");
  return { ...before, [text.slice(0, cut)]: text.slice(cut + 1) };
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined)
    throw new InvalidArgumentError("It must be a duration such as 500ms, 30s, 5m or 1h, 24h at most.");
  return ms;
}

function grace(text: string): number {
  return text === "0" ? 0 : duration(text);
}

function size(text: string): number {
  const bytes = parseBytes(text);
  if (bytes === undefined) throw new InvalidArgumentError("It must be a size such as 4096, 64KiB or 1.5GiB.");
  return bytes;
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number, at least 1.");
  return Number(text);
}
