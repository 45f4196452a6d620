import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runCommand } from "./support/run-command.ts";
import { environmentOf, repository, type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

const started: RunningSallyport[] = [];

async function start(options: Parameters<typeof startSallyport>[0] = {}): Promise<RunningSallyport> {
  const sallyport = await startSallyport(options);
  started.push(sallyport);
  return sallyport;
}

/** Runs `sallyport serve` that must end by itself; returns its status and what it printed. */
async function failToStart(
  home: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<{ status: number; output: string }> {
  const child = spawn(
    process.execPath,
    [join(repository, "src/main.ts"), "serve", "--workspace", join(home, "work"), ...args],
    {
      env: { ...process.env, ...environmentOf(home), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [status] = (await once(child, "close")) as [number];
  return { status, output };
}

/** Repeats `act` until it fails, and returns the failure; undefined where it never does. */
async function firstFailure(act: () => Promise<unknown>, attempts: number): Promise<unknown> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      await act();
    } catch (error) {
      return error;
    }
  }
  return undefined;
}

function freshHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "sp-")));
  mkdirSync(join(home, "work"));
  mkdirSync(join(home, "run"), { mode: 0o700 });
  mkdirSync(join(home, "config/sallyport"), { recursive: true });
  return home;
}

afterEach(async () => {
  for (const sallyport of started.splice(0)) await sallyport.remove();
});

describe("a bad world", () => {
  it("refuses a second Sallyport on the same socket, and the first one goes on", async () => {
    const first = await start();
    const { status, output } = await failToStart(first.home);
    expect(status).not.toBe(0);
    expect(output).toMatch(/another Sallyport|already/i);
    expect((await runCommand(first.client(), "pwd")).stdout).toBe(`${first.workspace}\n`);
  });

  it("takes over the socket of one that was killed", async () => {
    const first = await start();
    await first.kill();
    const second = await start({ home: first.home, workspace: first.workspace });
    expect((await runCommand(second.client(), "pwd")).end.code).toBe(0);
  });

  it("refuses to start on settings that it cannot read, naming file and key", async () => {
    const home = freshHome();
    writeFileSync(join(home, "config/sallyport/sallyport.yaml"), "sokcet: /tmp/x\n");
    const { status, output } = await failToStart(home);
    rmSync(home, { recursive: true });
    expect(status).not.toBe(0);
    expect(output).toMatch(/sallyport\.yaml:1/);
    expect(output).toMatch(/sokcet/);
  });

  it("refuses to start on permissions that it cannot read", async () => {
    const home = freshHome();
    writeFileSync(
      join(home, "config/sallyport/permissions.yaml"),
      "rules:\n  - capability: shel\n    match: ls\n    effect: allow\n",
    );
    const { status, output } = await failToStart(home);
    rmSync(home, { recursive: true });
    expect(status).not.toBe(0);
    expect(output).toMatch(/permissions\.yaml:\d/);
    expect(output).toMatch(/shell/);
  });

  it.each(["0.0.0.0:0", "[::]:0", "192.0.2.1:5000"])(
    "refuses to listen on %s without TLS and authentication",
    async (address) => {
      const home = freshHome();
      const { status, output } = await failToStart(home, ["--listen", address]);
      rmSync(home, { recursive: true });
      expect(status).not.toBe(0);
      expect(output).toMatch(/TLS/);
    },
  );

  it("refuses to start on a state folder that cannot be written", async () => {
    const home = freshHome();
    const state = join(home, "state");
    mkdirSync(state);
    execFileSync("mount", ["-t", "tmpfs", "-o", "ro,size=64k", "tmpfs", state]);
    try {
      const { status, output } = await failToStart(home);
      expect(status).not.toBe(0);
      expect(output).toMatch(/state/);
    } finally {
      execFileSync("umount", [state]);
      rmSync(home, { recursive: true });
    }
  });

  it("acts on nothing once the disk of the record is full, and says so", async () => {
    const home = freshHome();
    const state = join(home, "state");
    mkdirSync(state);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", state]);
    let sallyport: RunningSallyport | undefined;
    try {
      sallyport = await startSallyport({ home });
      const client = sallyport.client();
      await runCommand(client, "pwd");
      try {
        writeFileSync(join(state, "filler"), Buffer.alloc(4 << 20));
      } catch {
        // Full now.
      }
      const refused = await firstFailure(() => runCommand(client, "pwd"), 2_000);
      expect(refused).toMatchObject({
        code: expect.stringMatching(/unavailable|resource_exhausted/) as string,
        message: expect.stringMatching(/record|audit/) as string,
      });
      rmSync(join(state, "filler"));
      await expect.poll(async () => (await runCommand(client, "pwd")).end.code).toBe(0);
      expect(await client.audit.verify({})).toMatchObject({ ok: true });
    } finally {
      await sallyport?.stop();
      execFileSync("umount", ["-l", state]);
      rmSync(home, { recursive: true, force: true });
    }
  });

  it("says which image does not exist", async () => {
    const sallyport = await start({ settings: "image: sallyport-no-such-image:1\n" });
    await expect(runCommand(sallyport.client(), "pwd")).rejects.toMatchObject({
      code: "failed_precondition",
      message: expect.stringContaining("sallyport-no-such-image:1") as string,
    });
  });

  it("does not hang on an engine that stops answering", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sp-engine-"));
    const silent = createServer(() => undefined).listen(join(folder, "engine.sock"));
    await once(silent, "listening");
    try {
      const sallyport = await start({
        env: { DOCKER_HOST: `unix://${join(folder, "engine.sock")}` },
      });
      await expect(runCommand(sallyport.client(), "pwd")).rejects.toMatchObject({ code: "unavailable" });
    } finally {
      silent.close();
      rmSync(folder, { recursive: true });
    }
  });

  it("runs nothing without an engine, and says what to install", async () => {
    const sallyport = await start({ env: { DOCKER_HOST: "unix:///nonexistent/engine.sock" } });
    await expect(runCommand(sallyport.client(), "pwd")).rejects.toMatchObject({
      code: expect.stringMatching(/unavailable|failed_precondition/) as string,
      message: expect.stringMatching(/Docker/i) as string,
    });
  });

  it("makes its folders and socket private even under a loose umask", async () => {
    const home = freshHome();
    chmodSync(home, 0o755);
    const sallyport = await start({ home });
    const modes = execFileSync("find", [join(home, "state"), join(home, "run"), "-printf", "%m %y %p\n"]).toString();
    for (const line of modes.trim().split("\n")) {
      if (line.endsWith(join(home, "state")) || line.endsWith(join(home, "run"))) continue;
      expect(line).toMatch(/^(700 d|600 [fs]) /);
    }
    expect(sallyport.socket).toContain(home);
  });
});
