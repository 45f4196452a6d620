import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ExecLimits } from "../../src/model/intent.ts";
import type { WarmSandbox } from "../../src/sandbox/warm-sandbox.ts";
import { ensureEngine } from "./engine.ts";
import { Bench, run, spawn, waitFor, finish } from "./harness.ts";

const mebibyte = 1024 * 1024;
let bench: Bench;
let sandbox: WarmSandbox;
beforeAll(async () => {
  await ensureEngine();
  bench = new Bench();
  sandbox = await bench.open();
});
afterAll(() => bench[Symbol.asyncDispose]());

const limited = (text: string, limits: Partial<ExecLimits>, target = sandbox) =>
  run(target, { text, limits: { timeoutMs: 0, outputBytes: 0, ...limits } });

/** Keeps so many MiB until it is killed. */
const hold = (mib: number): string => `python3 -c 'x = bytearray(${mib} << 20); import time; time.sleep(1000)'`;

describe("a limit of one command ends all of it, by its name, and nothing else", () => {
  test.each<[string, string, Partial<ExecLimits>, object]>([
    ["memory in one process", `exec ${hold(200)}`, { memoryBytes: 100 * mebibyte }, { signal: 9, limit: "memory" }],
    [
      "memory in several, each below it",
      `${hold(40)} & ${hold(40)} & ${hold(40)} & wait`,
      { memoryBytes: 100 * mebibyte },
      { signal: 9, limit: "memory" },
    ],
    [
      "memory in a process whose first thread has ended",
      `exec python3 -c 'import ctypes, threading, time; threading.Thread(target=lambda: (time.sleep(0.3), globals().update(x=bytearray(200 << 20)), time.sleep(1000))).start(); ctypes.CDLL(None).pthread_exit(None)'`,
      { memoryBytes: 100 * mebibyte },
      { signal: 9, limit: "memory" },
    ],
    ["CPU time in one process", "while :; do :; done", { cpuMs: 300 }, { signal: 9, limit: "cpu" }],
    [
      "CPU time in many short ones",
      "while :; do head -c 10000000 /dev/zero > /dev/null; done",
      { cpuMs: 300 },
      { signal: 9, limit: "cpu" },
    ],
    [
      "CPU time in a daemon",
      "(setsid bash -c 'while :; do :; done' &); sleep 1000",
      { cpuMs: 300 },
      { signal: 9, limit: "cpu" },
    ],
    ["processes", "for i in $(seq 30); do sleep 1000 & done; wait", { pids: 10 }, { signal: 9, limit: "pids" }],
    [
      "the size of a file, in the command",
      "exec head -c 3000000 /dev/zero > big",
      { fileBytes: mebibyte },
      { signal: 25, limit: "file-size" },
    ],
    [
      "the size of a file, in a child of its shell",
      "head -c 3000000 /dev/zero > big; exit $?",
      { fileBytes: mebibyte },
      { code: 153, limit: "file-size" },
    ],
    ["silence", "echo said; sleep 1000", { idleMs: 500 }, { signal: 15, limit: "idle" }],
    [
      "output",
      "while :; do echo more; done",
      { outputBytes: 1000, endAtOutput: true },
      { signal: 15, limit: "output", truncated: true },
    ],
  ])("%s", async (_name, text, limits, end) => {
    const other = await spawn(sandbox, { text: "echo ready; read -r line; exit 6", stdin: true });
    await waitFor(other, "ready");
    expect((await limited(text, limits)).exit).toMatchObject(end);
    await other.writeStdin(Buffer.from("\n"));
    const { exit } = await finish(other);
    expect({ code: exit.code, limit: exit.limit }).toEqual({ code: 6, limit: undefined });
    const left = "grep -lE '^(sleep|python3|head|setsid)' /proc/[0-9]*/cmdline";
    expect((await run(sandbox, left)).stdout).toBe("");
  });

  test("open files, which ends nothing", async () => {
    const code = "import os\nn = 3\ntry:\n  while True: os.dup(0); n += 1\nexcept OSError as e: print(n, e.errno)";
    const { stdout, exit } = await limited(`python3 -c '${code}'; ulimit -n; ulimit -n 100000 || echo no`, {
      openFiles: 40,
    });
    expect(stdout).toBe("40 24\n40\nno\n");
    expect(exit.limit).toBeUndefined();
  });

  test("the size of a file where the program ignores the signal: it is told, and nothing is named", async () => {
    const code =
      "try:\n  open('big', 'wb').write(bytes(3000000))\nexcept OSError as e: print(e.errno); raise SystemExit(4)";
    const { stdout, exit } = await limited(`exec python3 -c "${code}"`, { fileBytes: mebibyte });
    expect({ stdout, code: exit.code, limit: exit.limit }).toEqual({ stdout: "27\n", code: 4, limit: undefined });
  });

  test("and below it no limit is named, also where the command fails", async () => {
    const limits = { memoryBytes: 400 * mebibyte, cpuMs: 60_000, pids: 100, fileBytes: mebibyte, openFiles: 1000 };
    const { exit } = await limited("head -c 1000 /dev/zero > small; sleep 0.3; kill -KILL $$", limits);
    expect({ signal: exit.signal, limit: exit.limit }).toEqual({ signal: 9, limit: undefined });
  });

  test("is not the next command's, which may have the same guard", async () => {
    await limited("true", { memoryBytes: mebibyte, cpuMs: 1, pids: 1 });
    const { exit } = await limited(`timeout 1 ${hold(50)}; exit 3`, {});
    expect(exit).toMatchObject({ code: 3 });
  });
});

describe("a limit of the session", () => {
  const limits = {
    memoryBytes: 96 * mebibyte,
    cpus: 1,
    pids: 40,
    tmpBytes: mebibyte,
    openFiles: 64,
    fileBytes: 2 * mebibyte,
  };
  let small: WarmSandbox;
  beforeAll(async () => {
    small = await bench.open({ limits });
  });

  test("of open files and file sizes holds for every command; a narrower one of the command counts, a wider one does not", async () => {
    const show = "ulimit -n; ulimit -f";
    expect((await limited(show, {}, small)).stdout).toBe("64\n2048\n");
    expect((await limited(show, { openFiles: 20, fileBytes: mebibyte }, small)).stdout).toBe("20\n1024\n");
    expect((await limited(show, { openFiles: 200, fileBytes: 4 * mebibyte }, small)).stdout).toBe("64\n2048\n");
  });

  test.each<[string, string, object]>([
    ["memory in the command", `exec ${hold(200)}`, { signal: 9, limit: "memory" }],
    ["memory in a child of its shell", `${hold(200)}; exit $?`, { code: 137, limit: "memory" }],
    [
      "processes",
      `exec python3 -c 'import os, time\nwhile True:\n  if os.fork() == 0: time.sleep(1000)'`,
      { code: 1, limit: "pids" },
    ],
    ["the size of a file", "exec head -c 3000000 /dev/zero > big", { signal: 25, limit: "file-size" }],
  ])("of %s is named, and the sandbox lives on", async (_name, text, end) => {
    expect((await limited(text, {}, small)).exit).toMatchObject(end);
    expect((await limited("echo alive", {}, small)).stdout).toBe("alive\n");
  });

  test("of /tmp is a full disk and nothing more", async () => {
    const { stdout, exit } = await limited(
      "head -c 2000000 /dev/zero > /tmp/big || echo full; stat -c %s /tmp/big",
      {},
      small,
    );
    expect({ stdout, limit: exit.limit }).toEqual({ stdout: "full\n1048576\n", limit: undefined });
  });

  test("of /tmp, the home and shared memory counts files without content, too, which take memory as well", async () => {
    const code = `import errno, os
for folder in ("/tmp", os.environ["HOME"], "/dev/shm"):
  made = 0
  try:
    while made < 100000: os.close(os.open(f"{folder}/{made}", os.O_CREAT | os.O_WRONLY)); made += 1
  except OSError as e: print(folder, errno.errorcode[e.errno], made <= 32768)`;
    const made = await run(small, { argv: ["python3", "-c", code] });
    expect(made.stdout).toBe("/tmp ENOSPC True\n/home/agent ENOSPC True\n/dev/shm ENOSPC True\n");
    await run(small, "find /tmp ~ /dev/shm -type f -delete");
  });
});

describe("an end is polite at first", () => {
  const graceful = "trap 'echo cleaned; exit 7' TERM; echo ready; sleep 1000 & while :; do wait; done";

  test("where a deadline passes", async () => {
    const { stdout, exit } = await limited(graceful, { timeoutMs: 1000, graceMs: 60_000 });
    expect(stdout).toBe("ready\ncleaned\n");
    expect(exit).toMatchObject({ code: 7, limit: "timeout" });
  });

  test("for daemons, too, which have the same grace period", async () => {
    const daemon = `(setsid bash -c 'trap "sleep 0.5; echo heard > heard; exit" TERM; echo up > up; sleep 1000 & while :; do wait; done' >/dev/null 2>&1 &)`;
    const process = await spawn(sandbox, {
      text: `${daemon}; until [ -e up ]; do sleep 0.01; done; echo ready; sleep 1000`,
      limits: { timeoutMs: 0, outputBytes: 0, graceMs: 60_000 },
    });
    await waitFor(process, "ready");
    await process.end();
    expect((await finish(process)).exit.signal).toBe(15);
    expect((await run(sandbox, "cat heard")).stdout).toBe("heard\n");
  });

  test("also where a process is stopped", async () => {
    const process = await spawn(sandbox, {
      text: "trap 'echo cleaned; exit 7' TERM; echo ready; kill -STOP $$; sleep 1000",
      limits: { timeoutMs: 0, outputBytes: 0, graceMs: 60_000 },
    });
    await waitFor(process, "ready");
    await process.end();
    expect(await finish(process)).toMatchObject({ stdout: "cleaned\n", exit: { code: 7 } });
  });

  test("and final after the grace period", async () => {
    const { stdout, exit } = await limited("trap '' TERM; echo ready; while :; do sleep 0.05; done", {
      timeoutMs: 1000,
      graceMs: 300,
    });
    expect({ stdout, signal: exit.signal, limit: exit.limit }).toEqual({
      stdout: "ready\n",
      signal: 9,
      limit: "timeout",
    });
  });

  test("or at once where there is none", async () => {
    const { exit } = await limited(graceful, { timeoutMs: 1000, graceMs: 0 });
    expect(exit).toMatchObject({ signal: 9, limit: "timeout" });
  });

  test("where the caller leaves, also with output that nobody reads", async () => {
    const leaving = new AbortController();
    const wish = { text: "trap 'touch cleaned; exit 7' TERM; echo ready; while :; do echo flood; done" };
    const process = await spawn(
      sandbox,
      { ...wish, limits: { timeoutMs: 0, outputBytes: 0, graceMs: 60_000 } },
      leaving.signal,
    );
    await waitFor(process, "ready");
    leaving.abort();
    expect((await finish(process)).exit.code).toBe(7);
    expect((await run(sandbox, "ls cleaned")).stdout).toBe("cleaned\n");
  });
});

test("what outlives a command and never stops writing is cut off in the end", async () => {
  const { stdout, exit } = await run(sandbox, "(while :; do echo tick; sleep 0.05; done) & exit 5");
  expect(stdout).toContain("tick\n");
  expect(exit.code).toBe(5);
});
