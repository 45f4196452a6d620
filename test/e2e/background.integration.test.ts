import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Dockerode from "dockerode";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import type { ExecSpec } from "../../src/clients/client/exec-spec.ts";
import { Access, Lasts, Mode } from "../../src/gen/sallyport/v1/common_pb.ts";
import type { BackgroundProcess } from "../../src/gen/sallyport/v1/exec_pb.ts";
import { runCommand } from "./support/run-command.ts";
import { allow, scriptedApprover, type ScriptedApprover } from "./support/scripted-approver.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";
import { listContainers } from "../sandbox/list-containers.ts";

const docker = new Dockerode();
let sallyport: RunningSallyport;
let admin: SallyportClient;

let approver: ScriptedApprover;
beforeAll(async () => {
  sallyport = await startSallyport();
  admin = sallyport.client();
  approver = scriptedApprover(admin, () => allow);
});
afterAll(async () => {
  await approver.stop();
  await sallyport.remove();
});

/** A session of its own, in which everything may run. */
async function session(key: string, client = admin): Promise<string> {
  return (await client.sessions.open({ key, mode: Mode.ALLOW_ALL })).session?.id ?? "";
}

async function start(sessionId: string, text: string, more: Partial<ExecSpec> = {}, client = admin) {
  const { processId } = await client.background({ sessionId, command: { shell: text }, ...more });
  return { sessionId, processId };
}

/** Output and end as a follower sees them. */
async function follow(named: { sessionId: string; processId: string }, offset = 0, client = admin) {
  let text = "";
  let lost = 0n;
  let exit: number | undefined;
  for await (const { event } of client.commands.attach({ ...named, offset: BigInt(offset) })) {
    if (event.case === "stdout" || event.case === "stderr") text += Buffer.from(event.value).toString();
    if (event.case === "lost") lost += event.value.bytes;
    if (event.case === "exit") exit = event.value.status.value;
  }
  return { text, lost, exit };
}

async function listed(named: { sessionId: string; processId: string }): Promise<BackgroundProcess | undefined> {
  const { processes } = await admin.commands.list({ sessionId: named.sessionId });
  return processes.find(({ processId }) => processId === named.processId);
}

async function recordsOf(entryId: string, client = admin) {
  const { records } = await client.audit.query({ filter: { entryId } });
  return records.map(({ kind, bodyJson }) => ({ kind, body: JSON.parse(bodyJson) as Record<string, unknown> }));
}

async function containersOf(workspace: string): Promise<number> {
  const all = await listContainers(docker);
  return all.filter(({ Mounts }) => Mounts.some(({ Source }) => Source === workspace)).length;
}

describe("a background process in its container", () => {
  it("outlives its caller's connection, is read by others from any byte, and is recorded when it ends", async () => {
    const sessionId = await session("outlives");
    const leaving = sallyport.client();
    const named = await start(sessionId, "echo one; read -r line; echo two $line; exit 9", { stdin: true }, leaving);
    leaving.close();
    expect((await recordsOf(named.processId)).map(({ kind }) => kind)).toEqual(["opened"]);
    const readers = [follow(named), follow(named, 0, sallyport.client())];
    await admin.commands.sendInput({ ...named, data: Buffer.from("in\n") });
    for (const reader of readers) expect(await reader).toEqual({ text: "one\ntwo in\n", lost: 0n, exit: 9 });
    expect((await follow(named, 4)).text).toBe("two in\n");
    const [, closed] = await recordsOf(named.processId);
    expect(closed).toMatchObject({
      kind: "closed",
      body: { outcome: { kind: "done", facts: { code: 9, stdoutBytes: 11 } } },
    });
  });

  it("on a terminal of its own gets sizes, keys and Ctrl-C, also where two share a connection", async () => {
    const sessionId = await session("terminals");
    // Without a trap of its own bash goes on after a Ctrl-C that came when its child had just ended by itself.
    const traps = "trap 'stty size' WINCH; trap 'trap - INT; kill -INT $$' INT";
    const text = `stty size; echo $WORD; pwd; ${traps}; echo ready; while :; do sleep 0.02; done`;
    const two = await Promise.all(
      ["left", "right"].map(async (name, index) => {
        const cwd = join(sallyport.workspace, name);
        mkdirSync(cwd, { recursive: true });
        const pty = { columns: 50 + index, rows: 10 + index };
        return { name, cwd, ...(await start(sessionId, text, { cwd, env: { WORD: name }, pty, stdin: true })) };
      }),
    );
    const shown = async (named: { sessionId: string; processId: string }): Promise<string> => {
      let seen = "";
      for await (const { event } of admin.commands.attach({ ...named, untilNow: true }))
        if (event.case === "stdout") seen += Buffer.from(event.value).toString();
      return seen;
    };
    const named = ({ processId }: { processId: string }) => ({ sessionId, processId });
    for (const each of two) await expect.poll(() => shown(named(each)), { timeout: 30_000 }).toContain("ready\r\n");
    for (const [index, each] of two.entries()) {
      await admin.commands.resize({ ...named(each), size: { columns: 60 + index, rows: 20 + index } });
      await expect.poll(() => shown(named(each)), { timeout: 30_000 }).toContain(`${20 + index} ${60 + index}\r\n`);
      await admin.commands.sendInput({ ...named(each), data: Buffer.from([3]) });
    }
    for (const [index, each] of two.entries()) {
      const { text: seen, exit } = await follow(named(each));
      expect(exit).toBe(2);
      expect(seen.startsWith(`${10 + index} ${50 + index}\r\n${each.name}\r\n${each.cwd}\r\nready\r\n`)).toBe(true);
      expect(seen).not.toContain(`${20 + 1 - index} ${60 + 1 - index}`);
    }
  });

  it("goes on in the container that a change of folders has replaced, and says so", async () => {
    const sessionId = await session("renewed");
    const outside = realpathSync(mkdtempSync(join(tmpdir(), "sp-bg-")));
    const named = await start(sessionId, "read -r line; echo still here; exit 3", { stdin: true });
    expect(await listed(named)).toMatchObject({ superseded: false });
    const scope = { root: outside, access: Access.READ_ONLY, lasts: Lasts.SESSION };
    await admin.sessions.update({ sessionId, addScopes: [scope] });
    expect((await runCommand(admin, { sessionId, command: { shell: `ls -d ${outside}` } })).stdout).toBe(
      `${outside}\n`,
    );
    const replaced = await listed(named);
    expect({ superseded: replaced?.superseded, exit: replaced?.exit }).toEqual({ superseded: true, exit: undefined });
    await admin.commands.sendInput({ ...named, data: Buffer.from("\n") });
    expect(await follow(named)).toEqual({ text: "still here\n", lost: 0n, exit: 3 });
    expect(await listed(named)).toMatchObject({ superseded: false });
    rmSync(outside, { recursive: true });
  });

  it("ends with its session, which its followers and the record are told", async () => {
    const sessionId = await session("closing");
    const named = await start(sessionId, "echo said; (setsid sleep 1000 &); sleep 1000");
    const following = follow(named);
    const failed = expect(following).rejects.toMatchObject({ code: "unavailable" });
    await expect.poll(async () => (await listed(named))?.outputBytes).toBe(5n);
    await admin.sessions.close({ sessionId });
    await failed;
    expect((await recordsOf(named.processId)).at(-1)).toMatchObject({
      kind: "closed",
      body: { outcome: { kind: "failed" } },
    });
  });

  it("that floods is kept in bounds, and does not hold up others", async () => {
    const sessionId = await session("flood");
    const named = await start(sessionId, "yes");
    await expect
      .poll(async () => Number((await listed(named))?.outputBytes), { timeout: 60_000 })
      .toBeGreaterThan(200_000_000);
    expect((await runCommand(admin, { sessionId, command: { argv: ["echo", "fine"] } })).stdout).toBe("fine\n");
    const { outputBytes = 0n, outputFrom = 0n } = (await listed(named)) ?? {};
    expect(outputBytes - outputFrom).toBeLessThanOrEqual(1024n * 1024n);
    await admin.commands.stop(named);
    expect(peakMib()).toBeLessThan(400);
  });
});

/** Memory that the sidecar has held at most so far. */
function peakMib(): number {
  const status = readFileSync(`/proc/${sallyport.process.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

describe("a command", () => {
  it("of `yes` is cut at its cap, marked and ended at its deadline, with flat memory", async () => {
    const sessionId = await session("yes");
    const { stdout, end } = await runCommand(admin, {
      sessionId,
      command: { argv: ["yes"] },
      maxOutputBytes: 1_000_000,
      timeoutMs: 5000,
    });
    expect(stdout).toHaveLength(1_000_000);
    expect(end).toMatchObject({ signal: 15, limit: "timeout", truncated: true });
    expect(peakMib()).toBeLessThan(400);
  });

  it("leaves nothing at its deadline, whatever it started", async () => {
    const sessionId = await session("deadline");
    const text = "sleep 300 & (setsid bash -c 'exec -a hidden sleep 300' >/dev/null 2>&1 &); echo started; wait";
    const { stdout, end } = await runCommand(admin, {
      sessionId,
      command: { shell: text },
      timeoutMs: 2000,
      graceMs: 500,
    });
    expect({ stdout, limit: end.limit }).toEqual({ stdout: "started\n", limit: "timeout" });
    const left = await runCommand(admin, {
      sessionId,
      command: { shell: "grep -lsE '^(sleep|hidden)' /proc/[0-9]*/cmdline" },
    });
    expect(left.stdout).toBe("");
  });

  it("that its caller keeps is read to its end by another after that caller was lost in the middle of its output", async () => {
    const sessionId = await session("kept");
    const lost = sallyport.client();
    const total = 40_000_000;
    const call = lost.exec({
      sessionId,
      command: { shell: `head -c ${total} /dev/zero; echo end` },
      onDisconnect: "keep",
      maxOutputBytes: total + 4,
    });
    let processId = "";
    for await (const event of call) {
      if (event.kind === "started") processId = event.entryId;
      if (event.kind === "stdout") break;
    }
    lost.close();
    const { text, lost: skipped, exit } = await follow({ sessionId, processId });
    expect(exit).toBe(0);
    expect(text.endsWith("end\n")).toBe(true);
    expect(BigInt(text.length) + skipped).toBe(BigInt(total + 4));
  });

  it("whose container is killed ends in an error, never as a success", async () => {
    const other = await startSallyport({ settings: "sandboxes: { spare: false }\n" });
    try {
      const client = other.client();
      const sessionId = await session("killed", client);
      const call = client.exec({ sessionId, command: { shell: "echo up; sleep 600" } });
      const kinds: string[] = [];
      const reading = (async () => {
        for await (const event of call) {
          kinds.push(event.kind);
          if (event.kind !== "stdout") continue;
          const containers = await docker.listContainers({ all: true });
          const own = containers.find(({ Mounts }) => Mounts.some(({ Source }) => Source === other.workspace));
          await docker.getContainer(own?.Id ?? "").kill();
        }
      })();
      await expect(reading).rejects.toMatchObject({ code: "unavailable" });
      expect(kinds).not.toContain("exit");
    } finally {
      await other.remove();
    }
  });
});

describe("a sidecar with background processes", () => {
  it.each(["stops", "is killed"])("that %s leaves none, and the record says what is known", async (how) => {
    const first = await startSallyport({ settings: "sandboxes: { spare: false }\n" });
    const client = first.client();
    const sessionId = await session("ending", client);
    const { processId } = await start(sessionId, "(setsid sleep 1000 &); sleep 1000", {}, client);
    expect(await containersOf(first.workspace)).toBe(1);
    if (how === "stops") expect(await first.stop()).toBe(0);
    else await first.kill();
    const second = await startSallyport({ home: first.home, workspace: first.workspace });
    try {
      await expect.poll(() => containersOf(first.workspace), { timeout: 30_000 }).toBe(0);
      const again = second.client();
      expect(await again.audit.verify({})).toMatchObject({ ok: true });
      const records = await recordsOf(processId, again);
      expect(records.map(({ kind }) => kind)).toEqual(["opened", how === "stops" ? "closed" : "abandoned"]);
    } finally {
      await second.remove();
    }
  });
});
