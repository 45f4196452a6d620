import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WarmSandbox } from "../../src/sandbox/warm-sandbox.ts";
import { ensureEngine } from "./engine.ts";
import { Bench, finish, run, spawn, waitFor } from "./harness.ts";

let bench: Bench;
let sandbox: WarmSandbox;
beforeAll(async () => {
  await ensureEngine();
  bench = new Bench();
  sandbox = await bench.open();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Processes in the sandbox whose command line holds `mark`. */
async function living(mark: string): Promise<number> {
  const code =
    "import os, sys\nn = 0\nfor p in os.listdir('/proc'):\n  if p.isdigit() and int(p) != os.getpid():\n    try: n += sys.argv[1] in open(f'/proc/{p}/cmdline').read()\n    except OSError: pass\nprint(n)";
  return Number((await run(sandbox, { argv: ["python3", "-c", code, mark] })).stdout);
}

const daemon = (mark: string): string =>
  `(setsid bash -c '(setsid bash -c "exec -a ${mark} sleep 1000" >/dev/null 2>&1 </dev/null &)' &); until grep -lq ${mark} /proc/[0-9]*/cmdline 2>/dev/null; do :; done`;

describe("the whole tree of a command", () => {
  test("dies with a kill, daemons in sessions of their own too, while other commands go on", async () => {
    const other = await spawn(sandbox, {
      text: `${daemon("other-daemon")}; echo ready; read -r line; echo $line`,
      stdin: true,
    });
    await waitFor(other, "ready");
    const process = await spawn(sandbox, {
      text: `trap '' TERM INT HUP; ${daemon("killed-daemon")}; echo ready; while :; do sleep 0.05; done`,
    });
    await waitFor(process, "ready");
    expect(await living("killed-daemon")).toBeGreaterThan(0);
    await process.kill();
    expect(await living("killed-daemon")).toBe(0);
    expect((await finish(process)).exit).toMatchObject({ code: undefined, signal: 9 });
    expect(await living("other-daemon")).toBeGreaterThan(0);
    await other.writeStdin(Buffer.from("unharmed\n"));
    expect((await finish(other)).stdout).toBe("unharmed\n");
  });

  test("dies when the command ends", async () => {
    const { exit } = await run(sandbox, `${daemon("left-daemon")}; exit 3`);
    expect(exit.code).toBe(3);
    expect(await living("left-daemon")).toBe(0);
  });

  test("dies when the command ends although a grandchild keeps the output open", async () => {
    const { stdout, exit } = await run(sandbox, "bash -c 'exec -a holder sleep 1000' & echo said; exit 4");
    expect({ stdout, code: exit.code }).toEqual({ stdout: "said\n", code: 4 });
    expect(await living("holder")).toBe(0);
  });

  test("may still say what it has to say after the command has ended", async () => {
    const { stdout } = await run(sandbox, "(for i in 1 2 3 4 5; do echo $i; sleep 0.1; done) & exit 0");
    expect(stdout).toBe("1\n2\n3\n4\n5\n");
  });

  test("dies at the timeout, with the output so far", async () => {
    const { stdout, exit } = await run(sandbox, {
      text: `echo before; ${daemon("late-daemon")}; sleep 1000`,
      limits: { timeoutMs: 1500, outputBytes: 0 },
    });
    expect(stdout).toBe("before\n");
    expect(exit).toMatchObject({ limit: "timeout", signal: 15 });
    expect(await living("late-daemon")).toBe(0);
  });

  test("dies when the caller cancels", async () => {
    const leaving = new AbortController();
    const process = await spawn(
      sandbox,
      { text: `${daemon("cancelled-daemon")}; echo ready; sleep 1000` },
      leaving.signal,
    );
    await waitFor(process, "ready");
    leaving.abort();
    expect((await finish(process)).exit.signal).toBe(15);
    expect(await living("cancelled-daemon")).toBe(0);
  });

  test("dies when the reader leaves", async () => {
    const process = await spawn(sandbox, { text: `${daemon("unread-daemon")}; echo ready; sleep 1000` });
    for await (const event of process.events) if (event.kind === "stdout") break;
    await process.kill();
    expect(await living("unread-daemon")).toBe(0);
  });

  test("dies when it is a fork bomb, and the sandbox lives on", async () => {
    await using small = new Bench();
    const target = await small.open({
      limits: { memoryBytes: 256 * 1024 * 1024, cpus: 1, pids: 100, tmpBytes: 1024 * 1024 },
    });
    const bomb = await spawn(target, { text: "bomb() { bomb | bomb & }; bomb; echo armed; sleep 1000" });
    await waitFor(bomb, "armed");
    await bomb.kill();
    expect((await run(target, "echo alive")).stdout).toBe("alive\n");
  });

  test("is stopped and killed also where it stops its own guard", async () => {
    const process = await spawn(sandbox, { text: "kill -STOP $PPID; echo ready; sleep 1000" });
    // The guard reports what it started before the command can stop it, or after init has continued it.
    await waitFor(process, "ready");
    await process.kill();
    expect((await run(sandbox, "echo alive")).stdout).toBe("alive\n");
  });

  test.each(["a command", "a daemon"])(
    "dies also where the first thread of %s has ended and others go on",
    async (which) => {
      const code = `import ctypes, os, threading, time
def go_on():
  while True: time.sleep(0.05)
threading.Thread(target=go_on).start()
open(f"/tmp/leaderless", "w").write(str(os.getpid()))
ctypes.CDLL(None).pthread_exit(None)`;
      const leaderless = `until grep -qs '^State:.Z' /proc/$(cat /tmp/leaderless)/status; do :; done; echo ready`;
      const start = `rm -f /tmp/leaderless; setsid python3 -c '${code}' >/dev/null 2>&1 & until test -s /tmp/leaderless; do :; done; ${leaderless}`;
      const process = await spawn(sandbox, { text: which === "a daemon" ? start : `${start}; sleep 1000` });
      await waitFor(process, "ready");
      if (which === "a command") await process.kill();
      else await finish(process);
      expect((await run(sandbox, "test -e /proc/$(cat /tmp/leaderless) || echo gone")).stdout).toBe("gone\n");
    },
  );

  test("dies also where a process of another command traces it, which goes with it", async () => {
    const victim = await spawn(sandbox, { text: "echo $$; sleep 1000" });
    const traced = (await waitFor(victim, "\n")).trim();
    const code = `import ctypes, time
libc = ctypes.CDLL(None)
libc.ptrace.argtypes = [ctypes.c_long] * 4
PTRACE_SEIZE, PTRACE_O_TRACEEXIT = 0x4206, 0x40
print("seized", libc.ptrace(PTRACE_SEIZE, ${traced}, 0, PTRACE_O_TRACEEXIT), flush=True)
time.sleep(1000)`;
    const tracer = await spawn(sandbox, { argv: ["python3", "-c", code] });
    expect(await waitFor(tracer, "\n")).toBe("seized 0\n");
    await victim.kill();
    expect((await finish(victim)).exit.signal).toBe(9);
    expect((await finish(tracer)).exit.signal).toBe(9);
    expect((await run(sandbox, "echo alive")).stdout).toBe("alive\n");
  });

  test("is not started where the caller has left already", async () => {
    await expect(spawn(sandbox, { text: "touch ran" }, AbortSignal.abort())).rejects.toMatchObject({
      code: "cancelled",
    });
    expect((await run(sandbox, "ls ran 2>/dev/null")).stdout).toBe("");
  });
});

test("a command that takes more memory than there is ends by that limit, and the sandbox lives on", async () => {
  await using small = new Bench();
  const target = await small.open({
    limits: { memoryBytes: 64 * 1024 * 1024, cpus: 1, pids: 50, tmpBytes: 1024 * 1024 },
  });
  const { exit } = await run(target, { argv: ["python3", "-c", "x = bytearray(200 << 20)"] });
  expect(exit).toMatchObject({ signal: 9, limit: "memory" });
  expect((await run(target, "echo alive")).stdout).toBe("alive\n");
});

test("nothing of System V IPC outlives the last command, whatever its mode, and nobody else's memory is taken by it", async () => {
  const code = `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
for mode in (0o600, 0):
  segment = libc.shmget(0, 180 << 20, 0o1600)
  ctypes.memset(libc.shmat(segment, None, 0), 1, 180 << 20)
  ds = (ctypes.c_char * 256)(); libc.shmctl(segment, 2, ds); ds[20:22] = mode.to_bytes(2, "little"); libc.shmctl(segment, 1, ds)
  assert libc.msgget(0, 0o1000 | mode) >= 0 and libc.semget(0, 100, 0o1000 | mode) >= 0`;
  const count = "cat /proc/sysvipc/shm /proc/sysvipc/msg /proc/sysvipc/sem | wc -l";
  await using other = new Bench();
  const target = await other.open();
  const bystander = await spawn(target, { text: "echo ready; read -r line", stdin: true });
  await waitFor(bystander, "ready");
  expect((await run(target, { argv: ["python3", "-c", code] })).exit.code).toBe(0);
  expect((await run(target, count)).stdout).toBe("9\n");
  bystander.closeStdin();
  await finish(bystander);
  expect((await run(target, count)).stdout).toBe("3\n");
  expect((await run(target, { argv: ["python3", "-c", "x = b'x' * (300 << 20); print('room')"] })).stdout).toBe(
    "room\n",
  );
});

test("no more processes than the limit", async () => {
  const { stdout } = await run(sandbox, {
    argv: [
      "python3",
      "-c",
      "import os\nn = 0\ntry:\n  while True:\n    if os.fork() == 0:\n      import time; time.sleep(1000)\n    n += 1\nexcept OSError: print(n < 200)",
    ],
  });
  expect(stdout).toBe("True\n");
});
