import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ExecEvent } from "../../src/clients/client/exec-call.ts";
import type { ExecSpec } from "../../src/clients/client/exec-spec.ts";
import { SallyportError } from "../../src/clients/client/sallyport-error.ts";
import { repository, type RunningSallyport } from "../e2e/support/start-sallyport.ts";

/** Numbers from a seed, so that a run can be repeated (mulberry32 by Tommy Ettinger, public domain). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What a worker has seen. */
export interface Counts {
  /** Commands that started, by their `started` event. */
  started: number;
  /** Commands that this side saw end, or cut off itself. */
  ended: number;
  /** Refusals that were met on the way, by code and message. */
  readonly problems: Map<string, number>;
}

interface Job {
  readonly name: string;
  readonly act: (one: Worker) => Promise<void>;
}

/** One session at work. */
export interface Worker {
  readonly sallyport: RunningSallyport;
  readonly sessionId: string;
  readonly random: () => number;
  readonly counts: Counts;
}

/** Commands that behave badly in ways of their own; each must end, and be seen to end. */
const commands: readonly (readonly [string, Omit<ExecSpec, "command" | "sessionId">])[] = [
  ["true", {}],
  ["exit 7", {}],
  ["ls -la / | head", {}],
  ["head -c 3000000 /dev/urandom", { maxOutputBytes: 1_000_000 }],
  ["yes", { maxOutputBytes: 100_000, endAtMaxOutput: true }],
  ["sleep 600", { timeoutMs: 200 }],
  ["cat", { stdin: true, idleTimeoutMs: 200 }],
  ["trap '' TERM; sleep 600", { timeoutMs: 200, graceMs: 100 }],
  ["setsid sleep 600 & setsid sleep 600 & echo left", {}],
  ["(sleep 600 &) ; (setsid bash -c 'sleep 600 &' ) ; echo daemons", {}],
  ['python3 -c "x = bytearray(1 << 30); print(len(x))"', {}],
  ["for i in $(seq 40); do sleep 600 & done; wait", { timeoutMs: 500 }],
  ["kill -9 $$", {}],
  ["bash -c 'kill -SEGV $$'", {}],
  ["stty size; sleep 0.05; exit 3", { pty: { columns: 80, rows: 24 } }],
  ["dd if=/dev/zero of=/tmp/big bs=1M count=4096 2>&1; rm -f /tmp/big", {}],
  ["ulimit -n; python3 -c \"f = [open('/dev/null') for _ in range(100000)]\"", {}],
];

const jobs: readonly Job[] = [
  ...commands.map(([text, spec]) => ({ name: text, act: (one: Worker) => runToEnd(one, text, spec) })),
  { name: "cancel", act: cancel },
  { name: "disconnect", act: disconnect },
  { name: "feed", act: feed },
  { name: "files", act: files },
];

/** Nothing here takes long; what does hangs. In milliseconds, on a machine that does much else. */
const hangsAfterMs = 180_000;

/** Does one thing at random. What the server refuses is counted; what should not happen is thrown. */
export async function workOnce(one: Worker): Promise<void> {
  const job = jobs[Math.floor(one.random() * jobs.length)];
  if (job === undefined) return;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`it hangs: ${job.name}`)), hangsAfterMs);
  try {
    await Promise.race([job.act(one), late.promise]);
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    const problem = `${error.code}: ${error.message}`;
    one.counts.problems.set(problem, (one.counts.problems.get(problem) ?? 0) + 1);
  } finally {
    clearTimeout(timer);
  }
}

async function follow(one: Worker, events: AsyncIterable<ExecEvent>, on: (event: ExecEvent) => void): Promise<void> {
  let started = false;
  try {
    for await (const event of events) {
      if (event.kind === "started") {
        started = true;
        one.counts.started += 1;
      }
      on(event);
    }
  } finally {
    if (started) one.counts.ended += 1;
  }
}

async function runToEnd(one: Worker, text: string, spec: Omit<ExecSpec, "command" | "sessionId">): Promise<void> {
  const client = one.sallyport.client();
  let exits = 0;
  const call = client.exec({ ...spec, sessionId: one.sessionId, command: { shell: text } });
  await follow(one, call, (event) => {
    if (event.kind === "exit") exits += 1;
  });
  if (exits !== 1) throw new Error(`${exits} terminal statuses of ${text}`);
  client.close();
}

/** Ends the call somewhere in the middle. */
async function cancel(one: Worker): Promise<void> {
  const client = one.sallyport.client();
  const call = client.exec({ sessionId: one.sessionId, command: { shell: "setsid sleep 600 & yes" } });
  let left = Math.floor(one.random() * 20);
  try {
    await follow(one, call, () => {
      left -= 1;
      if (left === 0) call.cancel();
    });
  } finally {
    client.close();
  }
}

/** A client that dies in the middle. */
async function disconnect({ sallyport, sessionId, counts }: Worker): Promise<void> {
  const child = spawn(
    process.execPath,
    [join(repository, "src/main.ts"), "exec", "--session", sessionId, "-c", "setsid sleep 600 & yes"],
    { env: { ...process.env, SALLYPORT_SOCKET: sallyport.socket }, stdio: ["ignore", "pipe", "ignore"] },
  );
  const exited = once(child, "exit");
  child.stdout.once("data", () => {
    counts.started += 1;
    counts.ended += 1;
    child.kill("SIGKILL");
  });
  await exited;
}

async function feed(one: Worker): Promise<void> {
  const client = one.sallyport.client();
  const call = client.exec({ sessionId: one.sessionId, command: { shell: "wc -c" }, stdin: true });
  const size = Math.floor(one.random() * 2_000_000);
  void call.writeStdin(Buffer.alloc(size, "x")).then(() => call.closeStdin());
  let out = "";
  let end = "";
  await follow(one, call, (event) => {
    if (event.kind === "stdout") out += Buffer.from(event.data).toString();
    if (event.kind === "exit")
      end = JSON.stringify(event, (_key, value: unknown) => (typeof value === "bigint" ? Number(value) : value));
  });
  client.close();
  if (out.trim() !== String(size)) throw new Error(`${size} bytes went in, "${out.trim()}" were counted: ${end}`);
}

async function files(one: Worker): Promise<void> {
  const client = one.sallyport.client();
  const path = `${one.sallyport.workspace}/soak-${one.sessionId}`;
  await runToEnd(one, `echo ${one.sessionId} > ${path}; cat ${path}; rm ${path}`, {});
  client.close();
}
