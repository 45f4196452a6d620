import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createClient, type SallyportClient } from "../../../src/clients/client/create-client.ts";

/** How a Sallyport of a test is started. */
export interface StartOptions {
  /** Absolute; made where it is missing. Default: a fresh folder. */
  readonly workspace?: string;
  /** Text of `sallyport.yaml`. */
  readonly settings?: string;
  /** The folder with settings, state and socket of an earlier start, to start again on. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** A Sallyport in a process of its own, as a user runs it. */
export interface RunningSallyport {
  readonly home: string;
  readonly workspace: string;
  readonly socket: string;
  readonly process: ChildProcess;
  /** Everything that it printed so far. */
  output(): string;
  /** A client over the socket; the local admin where no token is given. Closed by `stop`. */
  client(token?: string): SallyportClient;
  /** SIGTERM, and waits. Returns the exit status. */
  stop(): Promise<number | null>;
  /** SIGKILL, and waits. */
  kill(): Promise<void>;
  /** Stops and removes every folder of it. */
  remove(): Promise<void>;
}

export const repository = resolve(import.meta.dirname, "../../..");

/** The environment that keeps a Sallyport inside `home`. */
export function environmentOf(home: string): Record<string, string> {
  return {
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_RUNTIME_DIR: join(home, "run"),
  };
}

/** Starts `sallyport serve` and resolves when it listens. @throws with its output where it ends before. */
export async function startSallyport(options: StartOptions = {}): Promise<RunningSallyport> {
  const home = options.home ?? realpathSync(mkdtempSync(join(tmpdir(), "sp-")));
  const workspace = options.workspace ?? join(home, "work");
  mkdirSync(workspace, { recursive: true });
  mkdirSync(join(home, "run"), { recursive: true, mode: 0o700 });
  mkdirSync(join(home, "config", "sallyport"), { recursive: true });
  if (options.settings !== undefined)
    writeFileSync(join(home, "config", "sallyport", "sallyport.yaml"), options.settings);
  const socket = join(home, "run", "sallyport", "sallyport.sock");
  const child = spawn(
    process.execPath,
    [join(repository, "src/main.ts"), "serve", "--workspace", workspace, ...(options.args ?? [])],
    {
      env: { ...process.env, ...environmentOf(home), ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const clients: SallyportClient[] = [];
  let output = "";
  const exited = once(child, "exit");
  const listening = new Promise<void>((resolveListening) => {
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes("SALLYPORT_SOCKET=")) resolveListening();
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
  });
  await Promise.race([
    listening,
    exited.then(() => Promise.reject(new Error(`sallyport ended before it listened:\n${output}`))),
  ]);

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    for (const client of clients.splice(0)) client.close();
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    return child.exitCode;
  }

  return {
    home,
    workspace,
    socket,
    process: child,
    output: () => output,
    client(token) {
      const client = createClient({ socket, ...(token === undefined ? {} : { token }) });
      clients.push(client);
      return client;
    },
    stop: () => end("SIGTERM"),
    async kill() {
      await end("SIGKILL");
    },
    async remove() {
      await end("SIGTERM");
      rmSync(home, { recursive: true, force: true });
    },
  };
}
