import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";

/** What a second engine is started with, in the form of dockerd's configuration file. */
export type EngineSettings = Readonly<Record<string, unknown>>;

/**
 * A Docker Engine of a test's own, with its own folders, in a network namespace of its own: without a bridge it would otherwise take the
 * first engine's away. It may be stopped, paused and started again. Needs root.
 */
export class SecondEngine implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "sp-engine-"));
  readonly socket = join(this.folder, "docker.sock");
  readonly docker = new Docker({ socketPath: this.socket });
  readonly #disk: boolean;
  #process: ChildProcess | undefined;
  #log = "";

  /** Where images and containers lie. */
  get data(): string {
    return join(this.folder, "data");
  }

  /** Why there can be none here; undefined: there can. */
  static obstacle(): string | undefined {
    return process.getuid?.() === 0 ? undefined : "a second engine needs root";
  }

  /** `diskBytes`: its images and containers lie on a disk of their own, of that size. */
  constructor(settings: EngineSettings = {}, diskBytes?: number) {
    this.#disk = diskBytes !== undefined;
    if (diskBytes !== undefined) {
      mkdirSync(this.data);
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", this.data]);
    }
    const at = (name: string): string => join(this.folder, name);
    writeFileSync(
      at("daemon.json"),
      JSON.stringify({
        hosts: [`unix://${this.socket}`],
        "data-root": this.data,
        "exec-root": at("exec"),
        pidfile: at("pid"),
        bridge: "none",
        iptables: false,
        ip6tables: false,
        "ip-forward": false,
        "ip-masq": false,
        ...settings,
      }),
    );
  }

  get engineHost(): string {
    return `unix://${this.socket}`;
  }

  /** The end of what it has written to its log. */
  get log(): string {
    return this.#log;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Starts it, and waits until it answers. */
  async start(): Promise<void> {
    // The mount namespace stays: mounts must be seen by the containers' runtime and by the test.
    const process = spawn("unshare", ["-n", "dockerd", "--config-file", join(this.folder, "daemon.json")], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = process;
    for (const stream of [process.stdout, process.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => (this.#log = (this.#log + text).slice(-4000)));
    while (!(await this.#answers())) {
      if (process.exitCode !== null) throw new Error(`the second engine did not start: ${this.#log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Ends it with a signal, and waits until it is gone. Containers may live on. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (process === undefined || process.exitCode !== null || process.signalCode !== null) return;
    const gone = once(process, "exit");
    process.kill(signal);
    await gone;
    await this.#endContainerd();
  }

  /** A killed engine's containerd is killed, too. A new engine would take it for its own, also as a zombie that nobody reaps. */
  async #endContainerd(): Promise<void> {
    const file = join(this.folder, "exec/containerd/containerd.pid");
    if (!existsSync(file)) return;
    const pid = readFileSync(file, "utf8");
    while (commandOf(pid).includes(this.folder)) await new Promise((resolve) => setTimeout(resolve, 20));
    rmSync(file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process !== undefined)
      // One that has ended by itself lists none.
      for (const { Id } of await this.docker.listContainers({ all: true }).catch(() => []))
        await this.docker
          .getContainer(Id)
          .remove({ force: true })
          .catch(() => {});
    await this.stop();
    // What a killed engine had mounted there goes with it.
    if (this.#disk) execFileSync("umount", ["-l", this.data]);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  async #answers(): Promise<boolean> {
    try {
      await this.docker.ping();
      return true;
    } catch {
      return false;
    }
  }
}

/** The command line of a process; empty where it has ended. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
