import { type ChildProcessByStdio, spawn } from "node:child_process";
import { Agent, type ClientRequestArgs } from "node:http";
import { Duplex, type Readable, type Writable } from "node:stream";
import type { SshTarget } from "./ssh-target.ts";

type Callback = (error?: Error | null) => void;

/** So much of what ssh says is kept for the message. */
const keptText = 500;

/**
 * A byte stream to an engine on another machine: ssh(1) runs `docker system dial-stdio` there, as Docker's own client does it. The machine's own ssh, so that the user's
 * keys, agent, configuration and known hosts count. It asks nobody: a host or a key that it would have to ask about is refused.
 */
export class SshConnection extends Duplex {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #said = "";

  constructor(target: SshTarget) {
    super();
    const child = spawn(target.program, sshArguments(target), { stdio: "pipe" });
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#said = (this.#said + text).slice(-keptText)));
    child.stdout.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) child.stdout.pause();
    });
    // What is written to a process that has gone is no news: its end is told below, with what it said.
    child.stdin.on("error", () => {});
    child.once("error", (error) => this.destroy(new Error(`${target.program} cannot be run: ${error.message}`)));
    // Not at the end of its output: why it ended comes later, and a connection that merely ends says nothing.
    child.once("close", (code) => {
      if (code === 0) this.push(null);
      else
        this.destroy(new Error(`ssh to ${target.host} ended: ${this.#said.trim() || `status ${code ?? "unknown"}`}`));
    });
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Callback): void {
    // The error, if there is one, comes with the end of the process.
    this.#child.stdin.write(chunk, () => done());
  }

  override _final(done: Callback): void {
    this.#child.stdin.end(() => done());
  }

  override _destroy(error: Error | null, done: Callback): void {
    this.#child.kill();
    done(error);
  }

  /** What an HTTP agent does with sockets that it keeps; here only the last two mean something. */
  setTimeout(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    this.#child.ref();
    return this;
  }

  unref(): this {
    this.#child.unref();
    return this;
  }
}

/** Connections for an engine's API: a few are kept, for each costs a handshake. */
export class SshAgent extends Agent {
  readonly #target: SshTarget;

  constructor(target: SshTarget) {
    super({ keepAlive: true, maxFreeSockets: 2 });
    this.#target = target;
  }

  override createConnection(_options: ClientRequestArgs): Duplex {
    return new SshConnection(this.#target);
  }
}

function sshArguments({ user, host, port }: SshTarget): string[] {
  return [
    ..."-T -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=15".split(" "),
    ...(user === undefined ? [] : ["-l", user]),
    ...(port === undefined ? [] : ["-p", String(port)]),
    "--",
    host,
    "docker system dial-stdio",
  ];
}
