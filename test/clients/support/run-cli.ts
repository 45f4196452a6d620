import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buffer } from "node:stream/consumers";

/** The program under test. */
export const cliEntry = fileURLToPath(new URL("cli-entry.ts", import.meta.url));

/** How a child process of the CLI ended. */
export interface CliResult {
  /** Exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly out: string;
  readonly err: string;
}

/** A running child process of the CLI. */
export interface CliRun {
  readonly child: ChildProcess & { readonly stdin: NodeJS.WritableStream; readonly stdout: NodeJS.ReadableStream };
  readonly ended: Promise<CliResult>;
}

// Compiled code of earlier runs: starting the CLI dozens of times is most of what these tests cost.
const compileCache = fileURLToPath(new URL("../../../node_modules/.cache/sallyport-tests", import.meta.url));

/** The environment of a child: ours without what would change the CLI's behaviour. */
export function cliEnv(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { SALLYPORT_SOCKET: _socket, SALLYPORT_TOKEN: _token, NO_COLOR: _color, ...env } = process.env;
  return { ...env, TERM: "xterm-256color", NODE_COMPILE_CACHE: compileCache, ...extra };
}

/** Starts the CLI with its standard streams on pipes. */
export function startCli(args: readonly string[], env: NodeJS.ProcessEnv = {}): CliRun {
  const child = spawn(process.execPath, [cliEntry, ...args], { env: cliEnv(env), stdio: ["pipe", "pipe", "pipe"] });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const streams = Promise.all([buffer(child.stdout), buffer(child.stderr)]);
  child.stdin.on("error", () => {});
  const ended = (async () => {
    const [stdout, stderr] = await streams.catch(() => [Buffer.alloc(0), Buffer.alloc(0)] as const);
    return { code: await exited, stdout, out: stdout.toString(), err: stderr.toString() };
  })();
  return { child, ended };
}

/** Runs the CLI to its end with `input` on its standard input. */
export async function runCli(
  args: readonly string[],
  input: string | Uint8Array = "",
  env: NodeJS.ProcessEnv = {},
): Promise<CliResult> {
  const { child, ended } = startCli(args, env);
  child.stdin.end(input);
  return ended;
}

/** The JSON objects of JSON Lines. */
export function jsonLines(text: string): unknown[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
}
