import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { Permit } from "../../src/model/permit.ts";
import { Problem } from "../../src/model/problem.ts";
import type { Process, ProcessEvent, Sandbox } from "../../src/model/runtime.ts";
import { sure } from "./open-server.ts";

const signalNumbers: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15, SIGUSR1: 10 };

/** A sandbox that is none: real commands of this machine, with the back-pressure of their pipes. For tests of the server alone. */
export function localSandbox(): Sandbox & { readonly alive: Set<number>; killAll(): void } {
  const alive = new Set<number>();
  return {
    id: "local",
    alive,
    killAll() {
      for (const pid of alive) killGroup(pid, "SIGKILL");
    },
    onConnection() {},
    gone: new Promise(() => {}),
    close: () => Promise.resolve(),
    async spawn(permit) {
      const { command, cwd, env, stdin, limits } = Permit.redeem(permit, "exec");
      const [program, ...words] =
        command.kind === "argv" ? command.argv : ["/bin/bash", "--noprofile", "--norc", "-c", command.text];
      const child = spawn(program, words, {
        cwd,
        env: { PATH: sure(process.env["PATH"]), ...env },
        detached: true,
        stdio: [stdin ? "pipe" : "ignore", "pipe", "pipe"],
      });
      await once(child, "spawn").catch((cause: unknown) => {
        throw new Problem("not_found", `${program} cannot be started`, { cause });
      });
      const pid = sure(child.pid);
      alive.add(pid);
      const ended = once(child, "exit").then(() => void alive.delete(pid));
      return running(child, pid, limits.outputBytes, ended);
    },
  };
}

function killGroup(pid: number, signal: number | NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It is gone already.
  }
}

function running(child: ChildProcess, pid: number, cap: number, ended: Promise<void>): Process {
  const signalAll = (signal: number | NodeJS.Signals): void => killGroup(pid, signal);
  return {
    events: eventsOf(child, pid, cap),
    async writeStdin(data) {
      const pipe = child.stdin;
      if (pipe === null || pipe.destroyed || pipe.writableEnded) return false;
      pipe.on("error", () => {});
      const taken =
        pipe.write(data) ||
        once(pipe, "drain").then(
          () => true,
          () => false,
        );
      return Promise.race([taken, ended.then(() => false)]);
    },
    closeStdin: () => void child.stdin?.end(),
    resize() {},
    signal: signalAll,
    async end() {
      signalAll("SIGTERM");
      await ended;
    },
    async kill() {
      signalAll("SIGKILL");
      await ended;
    },
  };
}

async function* eventsOf(child: ChildProcess, pid: number, cap: number): AsyncGenerator<ProcessEvent> {
  const startedAt = performance.now();
  const closed = once(child, "close");
  yield { kind: "started", pid };
  let left = cap === 0 ? Infinity : cap;
  let truncated = false;
  for await (const [kind, data] of both(sure(child.stdout), sure(child.stderr))) {
    if (data.length > left) truncated = true;
    if (left > 0) yield { kind, data: data.subarray(0, left) };
    left = Math.max(0, left - data.length);
  }
  await closed;
  yield {
    kind: "exit",
    code: child.exitCode ?? undefined,
    signal: child.signalCode === null ? undefined : (signalNumbers[child.signalCode] ?? 0),
    durationMs: performance.now() - startedAt,
    usage: { userMicros: 1000, systemMicros: 500, maxRssBytes: 4096 },
    truncated,
  };
}

/** Both streams as their bytes come, one chunk of each ahead of the reader. */
async function* both(stdout: Readable, stderr: Readable): AsyncGenerator<["stdout" | "stderr", Buffer]> {
  const next = async (kind: "stdout" | "stderr", from: AsyncIterator<unknown>) => ({
    kind,
    from,
    step: await from.next(),
  });
  const waiting = new Map([
    ["stdout", next("stdout", stdout[Symbol.asyncIterator]())],
    ["stderr", next("stderr", stderr[Symbol.asyncIterator]())],
  ]);
  while (waiting.size > 0) {
    const { kind, from, step } = await Promise.race(waiting.values());
    if (step.done === true) waiting.delete(kind);
    else {
      waiting.set(kind, next(kind, from));
      yield [kind, step.value as Buffer];
    }
  }
}
