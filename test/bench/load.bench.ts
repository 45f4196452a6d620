/**
 * Prints how many small commands run in a second, and how long the slowest take, with 1, 8, 32 and 128 at once in one container and spread over 20; then what an idle session
 * costs the sidecar in memory. Against the same number of bare child processes of this process at once. SALLYPORT_BENCH_COMMANDS and SALLYPORT_BENCH_SESSIONS change the sizes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { Mode } from "../../src/gen/sallyport/v1/common_pb.ts";
import { runCommand } from "../e2e/support/run-command.ts";
import { startSallyport } from "../e2e/support/start-sallyport.ts";
import { cpuSeconds, noiseOf, privateBytes } from "./support/noise.ts";
import { percentilesOf } from "./support/percentiles.ts";

const image = "sallyport-sandbox:dev";
const commands = Number(process.env["SALLYPORT_BENCH_COMMANDS"] ?? "512");
const idleSessions = Number(process.env["SALLYPORT_BENCH_SESSIONS"] ?? "100");
const rounds = 2;

await using stack = new AsyncDisposableStack();
const sallyport = await startSallyport({ settings: `image: ${image}\nsandboxes: { most: 256, spare: false }\n` });
stack.defer(() => sallyport.remove());
const client = sallyport.client();
const pid = sallyport.process.pid ?? 0;

async function openSession(): Promise<string> {
  const { session } = await client.sessions.open({ mode: Mode.ALLOW_ALL });
  return session?.id ?? "";
}

function command(from: SallyportClient, sessionId: string): Promise<unknown> {
  return runCommand(from, { sessionId, command: { argv: ["/bin/true"] } });
}

interface Load {
  readonly perSecond: number;
  readonly times: readonly number[];
  readonly cpuMs: number;
}

/** Runs all commands, `wide` at a time. */
async function load(wide: number, act: (index: number) => Promise<unknown>): Promise<Load> {
  const times: number[] = [];
  let next = 0;
  async function worker(): Promise<void> {
    for (let index = next++; index < commands; index = next++) {
      const start = performance.now();
      await act(index);
      times.push(performance.now() - start);
    }
  }
  const cpu = cpuSeconds(pid);
  const start = performance.now();
  await Promise.all(Array.from({ length: wide }, worker));
  const seconds = (performance.now() - start) / 1000;
  return { perSecond: commands / seconds, times, cpuMs: ((cpuSeconds(pid) - cpu) * 1000) / commands };
}

const sessions: string[] = [];
for (let count = 0; count < 20; count += 1) {
  const id = await openSession();
  await command(client, id);
  sessions.push(id);
}
const [first = ""] = sessions;
for (let count = 0; count < 300; count += 1) await command(client, first);

console.log(`\n${commands} times /bin/true, ${rounds} rounds, the better one shown`);
console.log(
  "at once".padEnd(10) +
    "in".padEnd(24) +
    "a second".padStart(10) +
    "p50".padStart(12) +
    "p99".padStart(12) +
    "server CPU".padStart(14),
);
const spawned: number[][] = [];
for (const wide of [1, 8, 32, 128]) {
  const kinds = [
    { name: "one container", act: () => command(client, first), loads: [] as Load[] },
    { name: "20 containers", act: (index: number) => command(client, sessions[index % 20] ?? ""), loads: [] as Load[] },
    {
      name: "child_process.spawn",
      act: () => once(spawn("/bin/true", { stdio: "pipe" }), "close"),
      loads: [] as Load[],
    },
  ];
  for (let round = 0; round < rounds; round += 1) for (const { act, loads } of kinds) loads.push(await load(wide, act));
  const best = kinds.map(({ name, loads }) => {
    const found = loads.reduce((a, b) => (a.perSecond > b.perSecond ? a : b));
    const { p50, p99 } = percentilesOf(found.times);
    const cpu = name === "child_process.spawn" ? "" : `${found.cpuMs.toFixed(2)} ms`;
    console.log(
      String(wide).padEnd(10) +
        name.padEnd(24) +
        found.perSecond.toFixed(0).padStart(10) +
        `${p50.toFixed(1)} ms`.padStart(12) +
        `${p99.toFixed(1)} ms`.padStart(12) +
        cpu.padStart(14),
    );
    return found.perSecond;
  });
  spawned.push(...(kinds[2]?.loads.map(({ times }) => [...times]) ?? []));
  const [one = 0, many = 0, bare = 0] = best;
  console.log(
    `${"".padEnd(10)}against spawn: ${(one / bare).toFixed(2)} in one container, ${(many / bare).toFixed(2)} in 20`,
  );
}
console.log(
  `noise: rounds of child_process.spawn at the same width differ by ${Math.max(...[0, 2, 4, 6].map((at) => noiseOf(spawned.slice(at, at + rounds)))).toFixed(2)} times`,
);

const before = privateBytes(pid);
const idle: string[] = [];
for (let count = 0; count < idleSessions; count += 1) {
  const id = await openSession();
  await command(client, id);
  idle.push(id);
}
const grown = (privateBytes(pid) - before) / idleSessions;
console.log(
  `\nmemory of the sidecar for each of ${idleSessions} idle sessions with their sandboxes: ${(grown / 1e6).toFixed(2)} MB (goal 1)`,
);
for (const sessionId of [...idle, ...sessions]) await client.sessions.close({ sessionId });
