/**
 * Prints how long one warm `/bin/true` takes, at the 50th, 95th and 99th percentile: through a sandbox, as a bare child process of Node,
 * by the engine's exec, and by `docker run`. The kinds take turns, so that a busy machine is equally busy for each.
 *
 *     node test/bench/sandbox.bench.ts [rounds]
 */
import { spawn as spawnChild } from "node:child_process";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { debianImage, docker, ensureEngine } from "../sandbox/engine.ts";
import { Bench, finish, run, spawn } from "../sandbox/harness.ts";

const rounds = Number(process.argv[2] ?? 400);
if (!Number.isInteger(rounds) || rounds < 20) throw new Error("rounds: a whole number from 20");

/** How often each kind runs: once in so many rounds, the dear ones seldom. */
interface Kind {
  readonly name: string;
  readonly every: number;
  run(): Promise<unknown>;
}

await ensureEngine();
await using bench = new Bench({ outputBytes: 2 ** 32 });
const sandbox = await bench.open();
await using attachedBench = new Bench({ carrier: "attach", outputBytes: 2 ** 32 });
const attached = await attachedBench.open();

const kinds: readonly Kind[] = [
  { name: "sandbox, socket", every: 1, run: async () => finish(await spawn(sandbox, { argv: ["/bin/true"] })) },
  { name: "sandbox, attach", every: 1, run: async () => finish(await spawn(attached, { argv: ["/bin/true"] })) },
  { name: "child_process.spawn", every: 2, run: async () => once(spawnChild("/bin/true", { stdio: "pipe" }), "close") },
  { name: "dockerode exec", every: 10, run: dockerodeExec },
  { name: "docker run", every: 20, run: dockerRun },
];

const taken = new Map<string, number[]>(kinds.map((kind) => [kind.name, []]));
for (let round = -20; round < rounds; round++) {
  for (const kind of kinds) {
    if (round % kind.every !== 0) continue;
    const start = performance.now();
    await kind.run();
    if (round >= 0) taken.get(kind.name)?.push(performance.now() - start);
  }
}

console.log(
  `${"warm /bin/true, ms".padEnd(24)}${["p50", "p95", "p99"].map((name) => name.padStart(9)).join("")}${"n".padStart(7)}`,
);
for (const [name, times] of taken) {
  times.sort((a, b) => a - b);
  const at = (share: number): string =>
    (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(2).padStart(9);
  console.log(`${name.padEnd(24)}${at(0.5)}${at(0.95)}${at(0.99)}${String(times.length).padStart(7)}`);
}
for (const [name, target] of [
  ["socket", sandbox],
  ["attach", attached],
] as const) {
  const start = performance.now();
  const { bytes } = await drained(target);
  console.log(
    `${`output, ${name}`.padEnd(24)}${(bytes / 1000 / (performance.now() - start)).toFixed(0).padStart(9)} MB/s`,
  );
}
await run(sandbox, { argv: ["true"] });

async function drained(target: typeof sandbox): Promise<{ bytes: number }> {
  const process = await spawn(target, { argv: ["dd", "if=/dev/zero", "bs=64k", "count=8192", "status=none"] });
  let bytes = 0;
  for await (const event of process.events) if (event.kind === "stdout") bytes += event.data.length;
  return { bytes };
}

async function dockerodeExec(): Promise<void> {
  const exec = await docker
    .getContainer(sandbox.id)
    .exec({ Cmd: ["/bin/true"], AttachStdout: true, AttachStderr: true });
  await buffer(await exec.start({}));
}

async function dockerRun(): Promise<void> {
  const container = await docker.createContainer({
    Image: debianImage,
    Cmd: ["/bin/true"],
    NetworkDisabled: true,
    HostConfig: { AutoRemove: true },
  });
  const ended = container.wait({ condition: "removed" });
  await container.start();
  await ended;
}
