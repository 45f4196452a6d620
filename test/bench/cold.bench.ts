/** Prints how long a new session waits for the first byte of its first command, without and with a spare sandbox, against `docker run --rm`. The kinds take turns. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import Docker from "dockerode";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { Mode } from "../../src/gen/sallyport/v1/common_pb.ts";
import { type RunningSallyport, startSallyport } from "../e2e/support/start-sallyport.ts";
import { noiseOf } from "./support/noise.ts";
import { heading, percentilesOf, row } from "./support/percentiles.ts";

const image = "sallyport-sandbox:dev";
const rounds = 4;
const each = Number(process.env["SALLYPORT_BENCH_COLD"] ?? "5");
const docker = new Docker();

/** A session's first command, to its first byte. */
async function firstByte(client: SallyportClient): Promise<number> {
  const start = performance.now();
  const { session } = await client.sessions.open({ mode: Mode.ALLOW_ALL });
  const sessionId = session?.id ?? "";
  let found = Number.NaN;
  for await (const event of client.exec({ sessionId, command: { argv: ["/bin/echo", "x"] } }))
    if (event.kind === "stdout") found = performance.now() - start;
  await client.sessions.close({ sessionId });
  return found;
}

async function dockerRun(): Promise<number> {
  const start = performance.now();
  const child = spawn("docker", ["run", "--rm", "--network", "none", image, "/bin/echo", "x"]);
  await once(child.stdout, "data");
  const found = performance.now() - start;
  await once(child, "close");
  return found;
}

/** Waits until the one sandbox that there is is the spare, and its init has been met. */
async function spareReady({ home }: RunningSallyport): Promise<void> {
  const filters = { label: [`dev.sallyport.owner=${join(home, "state", "sallyport")}`], status: ["running"] };
  while ((await docker.listContainers({ filters })).length !== 1) await pause(50);
  await pause(500);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

await using servers = new AsyncDisposableStack();
const [without, warm] = await Promise.all(
  [false, true].map(async (spare) => {
    const sallyport = await startSallyport({ settings: `image: ${image}\nsandboxes: { spare: ${spare} }\n` });
    servers.defer(() => sallyport.remove());
    return { sallyport, client: sallyport.client() };
  }),
);
if (without === undefined || warm === undefined) throw new Error("no servers");
const kinds = [
  { name: "a new session, no spare", act: () => firstByte(without.client) },
  {
    name: "a new session, with a spare",
    act: async () => {
      await spareReady(warm.sallyport);
      return firstByte(warm.client);
    },
  },
  { name: "docker run --rm", act: dockerRun },
].map((kind) => ({ ...kind, rounds: [] as number[][] }));

for (const { act } of kinds) await act();
for (let round = 0; round < rounds; round += 1)
  for (const kind of kinds) {
    const times: number[] = [];
    for (let count = 0; count < each; count += 1) times.push(await kind.act());
    kind.rounds.push(times);
  }

console.log(`\nfrom opening a session to the first byte of its first command\n${heading}`);
const medians = kinds.map(({ name, rounds: all }) => {
  const found = percentilesOf(all.flat());
  console.log(row(name, found));
  return found.p50;
});
const [cold = 0, spare = 0, run = 0] = medians;
console.log(`without a spare against docker run --rm: ${(cold / run).toFixed(2)} (goal 0.4)`);
console.log(`with a spare against docker run --rm: ${(spare / run).toFixed(2)} (goal 0.05)`);
console.log(`noise: medians of docker run's rounds differ by ${noiseOf(kinds[2]?.rounds ?? []).toFixed(2)} times`);
