import { spawn } from "node:child_process";
import { once } from "node:events";
import { finished } from "node:stream/promises";
import Dockerode from "dockerode";
import { Mode } from "../../src/gen/sallyport/v1/common_pb.ts";
import { runCommand } from "../e2e/support/run-command.ts";
import { startSallyport } from "../e2e/support/start-sallyport.ts";
import { heading, percentilesOf, row, timed } from "./support/percentiles.ts";

// Warm execution of one small command over the whole walk, against what people use today. Rounds alternate, so that the machine's noise hits all alike. Node compiles what runs often, and again what runs
// very often, so a sidecar is warm after about a thousand commands; its first ones have a line of their own.
const image = "sallyport-sandbox:dev";
const rounds = 5;
const firstCommands = 200;
const docker = new Dockerode();
const sallyport = await startSallyport();
const client = sallyport.client();
const { session } = await client.sessions.open({ key: "bench", mode: Mode.ALLOW_ALL });
const sessionId = session?.id ?? "";
const container = await docker.createContainer({
  Image: image,
  Cmd: ["sleep", "infinity"],
  HostConfig: { NetworkMode: "none", AutoRemove: true },
});
await container.start();

async function viaSallyport(): Promise<void> {
  const { end } = await runCommand(client, { sessionId, command: { argv: ["/bin/true"] } });
  if (end.code !== 0) throw new Error(`exit ${end.code}`);
}

async function viaShell(): Promise<void> {
  await runCommand(client, { sessionId, command: { shell: "true" } });
}

async function viaUnary(): Promise<void> {
  await client.commands.runToEnd({
    start: { sessionId, command: { form: { case: "argv", value: { words: ["/bin/true"] } } } },
  });
}

async function viaDockerodeExec(): Promise<void> {
  const exec = await container.exec({ Cmd: ["/bin/true"], AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({ hijack: true, stdin: false });
  stream.resume();
  await finished(stream, { writable: false });
  await exec.inspect();
}

async function viaDockerRun(): Promise<void> {
  await once(spawn("docker", ["run", "--rm", "--network", "none", image, "/bin/true"], { stdio: "ignore" }), "exit");
}

async function viaSpawn(): Promise<void> {
  await once(spawn("/bin/true", { stdio: ["ignore", "pipe", "pipe"] }), "close");
}

const contenders = [
  { name: "Sallyport Exec.Run: decided, recorded, streamed", act: viaSallyport, runs: 200, warm: 1000 },
  { name: "Sallyport Exec.RunToEnd", act: viaUnary, runs: 200, warm: 200 },
  { name: "Sallyport Exec.Run, bash -c true", act: viaShell, runs: 100, warm: 200 },
  { name: "child_process.spawn, not sandboxed", act: viaSpawn, runs: 100, warm: 10 },
  { name: "dockerode exec in a warm container", act: viaDockerodeExec, runs: 20, warm: 3 },
  { name: "docker run --rm", act: viaDockerRun, runs: 3, warm: 1 },
].map((contender) => ({ ...contender, samples: [] as number[] }));

try {
  const first = await timed(firstCommands, viaSallyport);
  for (const { act, warm } of contenders) await timed(warm, act);
  for (let round = 0; round < rounds; round += 1)
    for (const { act, runs, samples } of contenders) samples.push(...(await timed(runs, act)));
  console.log(`warm execution of /bin/true\n${heading}`);
  const found = contenders.map(({ name, samples }) => ({ name, ...percentilesOf(samples) }));
  for (const result of found) console.log(row(result.name, result));
  console.log(row(`the first ${firstCommands} of a new sidecar`, percentilesOf(first)));
  const [own, , , ...others] = found;
  for (const other of others)
    if (own !== undefined) console.log(`p50 against ${other.name}: 1/${(other.p50 / own.p50).toFixed(1)}`);
  if (own !== undefined) console.log(`p99 against own p50: ${(own.p99 / own.p50).toFixed(1)}`);
} finally {
  await container.kill().catch(() => undefined);
  await sallyport.remove();
}
