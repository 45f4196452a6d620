import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import Dockerode from "dockerode";
import { Mode } from "../../src/gen/sallyport/v1/common_pb.ts";
import { label } from "../../src/sandbox/labels.ts";
import { startSallyport } from "../e2e/support/start-sallyport.ts";
import { type Counts, randomFrom, workOnce } from "./random-work.ts";
import { listContainers } from "../sandbox/list-containers.ts";

// Random commands, kills, disconnects and limits on many sessions for SOAK_SECONDS; then nothing may be left behind. Not a part of `make test`: it takes as long as it is told to.
const seconds = Number(process.env["SOAK_SECONDS"] ?? 1800);
const sessions = Number(process.env["SOAK_SESSIONS"] ?? 20);
const seed = Number(process.env["SALLYPORT_SEED"] ?? Date.now() % 1_000_000);
console.log(`soak: ${seconds} s on ${sessions} sessions, seed ${seed}`);

const docker = new Dockerode();
const sallyport = await startSallyport({
  settings: "limits:\n  memory: 256MiB\n  pids: 128\n  tmp: 64MiB\n  timeout: 60s\nlog:\n  level: warn\n",
});
const admin = sallyport.client();
const counts: Counts = { started: 0, ended: 0, problems: new Map() };
const faults: string[] = [];
const ids: string[] = [];
for (let at = 0; at < sessions; at += 1) {
  const { session } = await admin.sessions.open({ key: `soak-${at}`, mode: Mode.ALLOW_ALL });
  ids.push(session?.id ?? "");
}

const rss: number[] = [];
const until = Date.now() + seconds * 1000;
const watch = setInterval(() => rss.push(memoryOf()), Math.max(1000, (seconds * 1000) / 60));
await Promise.all(ids.map((sessionId, at) => work(sessionId, randomFrom(seed + at))));
clearInterval(watch);

/** One worker: it stops at the end of the time, or where anything is wrong. */
async function work(sessionId: string, random: () => number): Promise<void> {
  while (Date.now() < until && faults.length === 0)
    try {
      await workOnce({ sallyport, sessionId, random, counts });
    } catch (error) {
      faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
}

let ended = await recorded();
// A command whose client has died may have its grace period before it.
for (let look = 0; look < 60 && ended.opened !== ended.closed; look += 1) {
  await setTimeout(1000);
  ended = await recorded();
}
check(ended.opened === ended.closed, `${ended.opened} requests were allowed, ${ended.closed} have an end`);
check(counts.started === counts.ended, `${counts.started} commands started, ${counts.ended} ended`);
for (const sessionId of ids) await left(sessionId);
const early = median(rss.slice(0, rss.length / 4));
const late = median(rss.slice(-rss.length / 4));
check(late < early * 1.25 + 48 * 1024, `memory grew from ${mebibytes(early)} to ${mebibytes(late)}`);
for (const sessionId of ids) await admin.sessions.close({ sessionId });
const open = descriptors();
check(open < 80, `${open} descriptors are open after the last session was closed`);
const verified = await admin.audit.verify({});
check(verified.ok, `the record does not hold: ${verified.reason}`);
const status = await sallyport.stop();
check(status === 0, `the server ended with ${status}, so something kept it`);
// Others may use the same engine.
const after = (await listContainers(docker)).filter((found) => found.Labels[label.owner]?.startsWith(sallyport.home));
check(after.length === 0, `containers are left: ${after.map(({ Names }) => Names.join()).join(", ")}`);
await sallyport.remove();

console.log(`commands: ${counts.started} started, ${counts.ended} ended; record: ${verified.records} entries hold`);
console.log(
  `memory of the server: ${mebibytes(early)} early, ${mebibytes(late)} late; descriptors at the end: ${open}`,
);
for (const [problem, times] of counts.problems) console.log(`  ${times} times ${problem}`);
for (const fault of faults) console.error(`FAULT ${fault}`);
if (faults.length > 0) console.error(`The server said last:\n${sallyport.output().slice(-4000)}`);
process.exitCode = faults.length === 0 ? 0 : 1;

function check(good: boolean, fault: string): void {
  if (!good) faults.push(fault);
}

/** Requests that were allowed, and ends of such, over the whole record. */
async function recorded(): Promise<{ opened: number; closed: number }> {
  const found = { opened: 0, closed: 0 };
  for (let beforeSequence = 0n; ;) {
    const page = await admin.audit.query({ limit: 1000, beforeSequence });
    for (const { kind } of page.records) {
      if (kind === "opened") found.opened += 1;
      if (kind === "closed" || kind === "abandoned") found.closed += 1;
    }
    if (page.nextBeforeSequence === 0n) return found;
    beforeSequence = page.nextBeforeSequence;
  }
}

/** No process of a command may be there: only init, its guards, and what looks. */
async function left(sessionId: string): Promise<void> {
  const { stdout } = await admin.commands.runToEnd({
    start: { sessionId, command: { form: { case: "shell", value: "ps -eo comm=" } } },
  });
  const alive = Buffer.from(stdout)
    .toString()
    .split("\n")
    .filter((name) => /sleep|yes|python|cat|dd/.test(name));
  check(alive.length === 0, `processes are left in ${sessionId}: ${alive.join(", ")}`);
}

function memoryOf(): number {
  const text = readFileSync(`/proc/${sallyport.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0);
}

function descriptors(): number {
  return readdirSync(`/proc/${sallyport.process.pid}/fd`).length;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function mebibytes(kibibytes: number): string {
  return `${Math.round(kibibytes / 1024)} MiB`;
}
