import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import type { ExecAction } from "../../src/model/action.ts";
import { parseEntryId, parseSessionId } from "../../src/model/ids.ts";
import { Permit } from "../../src/model/permit.ts";
import type { Process, ProcessExit, Sandbox, SandboxSpec } from "../../src/model/runtime.ts";
import { createDockerRuntime, type DockerRuntimeOptions } from "../../src/sandbox/docker-runtime.ts";
import type { ImagedSpec } from "../../src/sandbox/imaged-spec.ts";
import type { WarmRuntime, WarmSandbox } from "../../src/sandbox/warm-sandbox.ts";
import { debianImage, initPath, makeFolder } from "./engine.ts";

export const never = new AbortController().signal;

/** Parses what a test knows to be a path. */
export function path(text: string): AbsolutePath {
  const parsed = parseAbsolutePath(text);
  if (parsed === undefined) throw new Error(`no absolute path: ${text}`);
  return parsed;
}

const entry = parseEntryId("entry") ?? fail("entry");
function fail(what: string): never {
  throw new Error(what);
}

export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: number;
  readonly exit: ProcessExit;
}

export type Wish = Partial<Omit<ExecAction, "command">> & { argv?: readonly [string, ...string[]]; text?: string };

/** Which runtime a bench has, and what its sandboxes are made of. */
export interface BenchKind {
  readonly make: (options: DockerRuntimeOptions) => WarmRuntime;
  readonly image: string;
}

/** A runtime with a folder, an owner label and sandboxes of its own; everything goes away at the end. */
export class Bench implements AsyncDisposable {
  readonly owner = `test-${randomUUID()}`;
  readonly workspace = makeFolder("sp-ws-");
  readonly runtimeFolder = makeFolder("sp-run-");
  readonly runtime: WarmRuntime;
  readonly #sandboxes: Sandbox[] = [];

  readonly #image: string;

  constructor(
    options: Partial<DockerRuntimeOptions> = {},
    kind: BenchKind = { make: createDockerRuntime, image: debianImage },
  ) {
    const { runtimeFolder, owner } = this;
    this.#image = kind.image;
    this.runtime = kind.make({
      runtimeFolder,
      initPath,
      owner,
      timeoutMs: 60_000,
      outputBytes: 64 * 1024 * 1024,
      ...options,
    });
  }

  spec(wish: Partial<ImagedSpec> = {}): ImagedSpec {
    const workspace = path(this.workspace);
    return {
      session: parseSessionId("session") ?? fail("session"),
      image: this.#image,
      workspace,
      scopes: [{ root: workspace, access: "rw", lasts: "session" }],
      hidden: [],
      home: path("/home/agent"),
      limits: { memoryBytes: 512 * 1024 * 1024, cpus: 1.5, pids: 200, tmpBytes: 64 * 1024 * 1024 },
      ...wish,
    };
  }

  async open(wish: Partial<ImagedSpec> = {}): Promise<WarmSandbox> {
    const sandbox = await this.runtime.create(this.spec(wish), never);
    this.#sandboxes.push(sandbox);
    return sandbox;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sandboxes.map((sandbox) => sandbox.close()));
    for (const folder of [this.workspace, this.runtimeFolder]) rmSync(folder, { recursive: true, force: true });
  }
}

/** A permit for a command in a sandbox of that spec. */
export function permit(spec: SandboxSpec, wish: Wish): Permit<ExecAction> {
  const { argv, text, ...rest } = wish;
  return Permit.issue<ExecAction>(
    {
      kind: "exec",
      command:
        argv === undefined ? { kind: "shell", shell: "bash", text: text ?? "" } : { kind: "argv", argv: [...argv] },
      cwd: spec.workspace,
      env: {},
      stdin: false,
      background: false,
      limits: { timeoutMs: 0, outputBytes: 0 },
      session: spec.session,
      workspace: spec.workspace,
      scopes: spec.scopes,
      image: undefined,
      ...rest,
    },
    entry,
  );
}

export function spawn(sandbox: WarmSandbox, wish: Wish, signal: AbortSignal = never): Promise<Process> {
  return sandbox.spawn(permit(sandbox.spec, wish), signal);
}

/** Reads a command to its end. */
export async function finish(process: Process): Promise<Finished> {
  const stdout: Uint8Array[] = [];
  const stderr: Uint8Array[] = [];
  let bytes = 0;
  for await (const event of process.events) {
    if (event.kind === "exit") {
      return { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString(), bytes, exit: event };
    }
    if (event.kind === "started") continue;
    bytes += event.data.length;
    (event.kind === "stdout" ? stdout : stderr).push(event.data);
  }
  throw new Error("no exit came");
}

/** Runs shell text, or argv, to its end. */
export async function run(sandbox: WarmSandbox, wish: Wish | string): Promise<Finished> {
  return finish(await spawn(sandbox, typeof wish === "string" ? { text: wish } : wish));
}

/** Reads standard output until it holds `text`. Later events stay for the next reader. */
export async function waitFor(process: Process, text: string): Promise<string> {
  const iterator = process.events[Symbol.asyncIterator]();
  let seen = "";
  while (!seen.includes(text)) {
    const { value, done } = await iterator.next();
    if (done === true || value.kind === "exit") throw new Error(`ended before ${JSON.stringify(text)}: ${seen}`);
    if (value.kind === "stdout") seen += Buffer.from(value.data).toString();
  }
  return seen;
}
