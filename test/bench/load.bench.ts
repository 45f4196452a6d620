/**
 * Prints what an idle session costs the sidecar in memory; then how many small commands run in a second, and how long the slowest take, with 1, 8, 32 and 128 at once in one container
 * and spread over 20. Against the same number of bare child processes of this process at once. The kinds take turns, each for a fixed time: about four minutes on two busy cores.
 * SALLYPORT_BENCH_SECONDS and SALLYPORT_BENCH_SESSIONS change the sizes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { Mode, Tier } from "../../src/gen/sallyport/v1/common_pb.ts";
import { runCommand } from "../e2e/support/run-command.ts";
import { startSallyport } from "../e2e/support/start-sallyport.ts";
import { cpuSeconds, noiseOf, privateBytes } from "./support/noise.ts";
import { percentilesOf } from "./support/percentiles.ts";

const image = "sallyport-sandbox:dev";
const seconds = Number(process.env["SALLYPORT_BENCH_SECONDS"] ?? "4");
const idleSessions = Number(process.env["SALLYPORT_BENCH_SESSIONS"] ?? "100");
const rounds = 2;
const spread = 20;
/** Sessions that one agent may have, with room to spare. */
const perAgent = 50;
/** Containers that are made at once. */
const makers = 4;

await using stack = new AsyncDisposableStack();
const sallyport = await startSallyport({ settings: `image: ${image}\nsandboxes: { most: 256, spare: false }\n` });
stack.defer(() => sallyport.remove());
const client = sallyport.client();
const pid = sallyport.process.pid ?? 0;

async function openSession(key: string): Promise<string> {
  // Without a key of its own it would be the same session again.
  const { session } = await client.sessions.open({ key, mode: Mode.ALLOW_ALL });
  return session?.id ?? "";
}

function command(sessionId: string): Promise<unknown> {
  return runCommand(client, { sessionId, command: { argv: ["/bin/true"] } });
}

/** Sessions with a sandbox each, which has run something that nobody need allow. */
async function openIdle(from: number, to: number): Promise<void> {
  let agents: SallyportClient[] = [];
  for (let count = from; count < to; count += perAgent) {
    const { token } = await client.agents.createToken({ agent: `load-${count}`, tier: Tier.OPERATOR });
    agents = [...agents, sallyport.client(token)];
  }
  let next = from;
  async function maker(): Promise<void> {
    for (let index = next++; index < to; index = next++) {
      const agent = agents[Math.floor((index - from) / perAgent)];
      const opened = await agent?.sessions.open({ key: `idle-${index}` });
      if (agent !== undefined)
        await runCommand(agent, { sessionId: opened?.session?.id ?? "", command: { argv: ["pwd"] } });
    }
  }
  await Promise.all(Array.from({ length: makers }, maker));
}

interface Load {
  readonly perSecond: number;
  readonly times: readonly number[];
  readonly cpuMs: number;
}

/** Runs commands for a while, `wide` at a time. */
async function load(wide: number, act: (index: number) => Promise<unknown>): Promise<Load> {
  const times: number[] = [];
  let next = 0;
  const cpu = cpuSeconds(pid);
  const began = performance.now();
  async function worker(): Promise<void> {
    do {
      const start = performance.now();
      await act(next++);
      times.push(performance.now() - start);
    } while (performance.now() - began < seconds * 1000);
  }
  await Promise.all(Array.from({ length: wide }, worker));
  const took = (performance.now() - began) / 1000;
  return { perSecond: times.length / took, times, cpuMs: ((cpuSeconds(pid) - cpu) * 1000) / times.length };
}

const first = await openSession("first");
for (let count = 0; count < 300; count += 1) await command(first);
const before = privateBytes(pid);
const sessions = [first];
for (let count = 1; count < spread; count += 1) {
  const id = await openSession(`spread-${count}`);
  await command(id);
  sessions.push(id);
}
await openIdle(spread, idleSessions);
const grown = (privateBytes(pid) - before) / (idleSessions - 1);
console.log(
  `memory of the sidecar for each of ${idleSessions} idle sessions with their sandboxes: ${(grown / 1e6).toFixed(2)} MB (goal 1)`,
);

console.log(`\n/bin/true for ${seconds} s, ${rounds} rounds, the better one shown`);
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
    { name: "one container", act: () => command(first), loads: [] as Load[] },
    {
      name: `${spread} containers`,
      act: (index: number) => command(sessions[index % spread] ?? ""),
      loads: [] as Load[],
    },
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
    `${"".padEnd(10)}against spawn: ${(one / bare).toFixed(2)} in one container, ${(many / bare).toFixed(2)} in ${spread}`,
  );
}
console.log(
  `noise: rounds of child_process.spawn at the same width differ by ${Math.max(...[0, 2, 4, 6].map((at) => noiseOf(spawned.slice(at, at + rounds)))).toFixed(2)} times`,
);
