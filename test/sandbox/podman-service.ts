import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";

/** Podman's API, served for a test. */
export class PodmanService implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "sp-podman-"));
  readonly socket = join(this.folder, "podman.sock");
  readonly docker = new Docker({ socketPath: this.socket });
  #process: ChildProcess | undefined;

  /** Why there can be none here; undefined: there can. */
  static obstacle(): string | undefined {
    return spawnSync("podman", ["--version"]).error === undefined ? undefined : "podman is not installed";
  }

  get engineHost(): string {
    return `unix://${this.socket}`;
  }

  /** Starts it, and waits until it answers. */
  async start(): Promise<void> {
    // crun refuses machines that have both versions of control groups.
    const runc = spawnSync("runc", ["--version"]).error === undefined ? ["--runtime", "runc"] : [];
    const process = spawn("podman", [...runc, "system", "service", "--time=0", `unix://${this.socket}`], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = process;
    let log = "";
    process.stderr?.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-4000)));
    while (!(await this.#answers())) {
      if (process.exitCode !== null) throw new Error(`podman did not start: ${log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const process = this.#process;
    if (process !== undefined && process.exitCode === null) {
      const gone = once(process, "exit");
      process.kill("SIGTERM");
      await gone;
      // A rootless one leaves a process that keeps its namespace, and holds what it inherited.
      process.stderr?.destroy();
    }
    rmSync(this.folder, { recursive: true, force: true });
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
