import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** An sshd of a test's own on loopback, with its own keys and a client whose configuration knows it. */
export class SshServer implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "sp-ssh-"));
  #process: ChildProcess | undefined;
  #port = 0;
  #log = "";

  /** Why there can be none here; undefined: there can. */
  static obstacle(): string | undefined {
    try {
      accessSync("/usr/sbin/sshd", constants.X_OK);
      execFileSync("docker", ["system", "dial-stdio", "--help"], { stdio: "pipe" });
      return undefined;
    } catch {
      return "no sshd (apt-get install openssh-server), or no Docker client for it to run";
    }
  }

  /** `ssh://` address of this machine's engine. */
  get engineHost(): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const at = (name: string): string => join(this.#folder, name);
    for (const name of ["host", "client", "stranger"])
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at(name)]);
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    this.#port = typeof address === "object" && address !== null ? address.port : 0;
    await new Promise((resolve) => server.close(resolve));
    writeFileSync(at("authorized"), readFileSync(at("client.pub")));
    writeFileSync(
      at("sshd_config"),
      `ListenAddress 127.0.0.1:${this.#port}\nHostKey ${at("host")}\nPidFile none\nAuthorizedKeysFile ${at("authorized")}
StrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nMaxStartups 100\n`,
    );
    // sshd wants its folder where root runs it.
    if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    await this.#run(at("sshd_config"));
  }

  /** A program that is ssh with a configuration of its own: which key it shows, and whether it knows the server. */
  client({ key = "client", knows = true }: { key?: "client" | "stranger"; knows?: boolean } = {}): string {
    const at = (name: string): string => join(this.#folder, name);
    const known = at(`known-${knows}`);
    const hostKey = readFileSync(at("host.pub"), "utf8").split(" ").slice(0, 2).join(" ");
    writeFileSync(known, knows ? `[127.0.0.1]:${this.#port} ${hostKey}\n` : "");
    const config = at(`config-${key}-${knows}`);
    writeFileSync(
      config,
      `IdentityFile ${at(key)}\nIdentitiesOnly yes\nIdentityAgent none\nUserKnownHostsFile ${known}\nGlobalKnownHostsFile none\nStrictHostKeyChecking yes\n`,
    );
    const program = at(`ssh-${key}-${knows}`);
    writeFileSync(program, `#!/bin/sh\nexec ssh -F ${config} "$@"\n`);
    chmodSync(program, 0o755);
    return program;
  }

  /** Cuts every connection, as a network does. */
  cut(): void {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
    for (const child of children.trim().split(/\s+/)) process.kill(Number(child), "SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process !== undefined && this.#process.exitCode === null) {
      const gone = once(this.#process, "exit");
      this.#process.kill();
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(config: string): Promise<void> {
    const server = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", config], { stdio: ["ignore", "ignore", "pipe"] });
    this.#process = server;
    server.stderr.setEncoding("utf8").on("data", (text: string) => (this.#log = (this.#log + text).slice(-2000)));
    while (!(await this.#answers())) {
      if (server.exitCode !== null) throw new Error(`sshd did not start: ${this.#log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
  }
}
