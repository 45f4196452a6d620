/**
 * Prints how fast output comes from a command to a client over gRPC, against `docker exec cat` and against what grpc-js alone streams with the same chunks; and the CPU time that
 * each takes of the server. The kinds take turns; each shows its best round. SALLYPORT_BENCH_MB changes the size.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import Docker from "dockerode";
import { Mode } from "../../src/gen/sallyport/v1/common_pb.ts";
import { startSallyport } from "../e2e/support/start-sallyport.ts";
import { letHeapGrow } from "../../src/wiring/stream-memory.ts";
import { connectBare } from "./support/bare-stream.ts";
import { cpuSeconds, noiseOf } from "./support/noise.ts";

letHeapGrow();
const image = "sallyport-sandbox:dev";
const mebibytes = Number(process.env["SALLYPORT_BENCH_MB"] ?? "256");
const bytes = mebibytes * 1024 * 1024;
const rounds = 3;
const docker = new Docker();

await using stack = new AsyncDisposableStack();
const sallyport = await startSallyport({ settings: `image: ${image}\naudit: { synchronous: normal }\n` });
stack.defer(() => sallyport.remove());
const client = sallyport.client();
const { session } = await client.sessions.open({ key: "bench", mode: Mode.ALLOW_ALL });
const sessionId = session?.id ?? "";
const container = await docker.createContainer({
  Image: image,
  Cmd: ["sleep", "infinity"],
  HostConfig: { NetworkMode: "none", AutoRemove: true },
});
await container.start();
stack.defer(() => container.kill().catch(() => undefined));
const socket = join(sallyport.home, "bare.sock");
const server = fork(join(import.meta.dirname, "support/bare-stream.ts"), [socket]);
await once(server, "message");
const bare = connectBare(socket);
stack.defer(() => {
  bare.close();
  server.kill();
});

let largest = 0;
const words: [string, ...string[]] = ["head", "-c", String(bytes), "/dev/zero"];

async function viaSallyport(): Promise<void> {
  let got = 0;
  for await (const event of client.exec({ sessionId, command: { argv: words }, maxOutputBytes: bytes + 1 }))
    if (event.kind === "stdout") {
      got += event.data.length;
      largest = Math.max(largest, event.data.length);
    }
  if (got !== bytes) throw new Error(`${got} bytes instead of ${bytes}`);
}

async function viaDocker(): Promise<void> {
  const child = spawn("docker", ["exec", container.id, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.resume();
  await once(child, "close");
}

await viaSallyport();
const kinds = [
  { name: "a command's output over gRPC", act: viaSallyport, pid: sallyport.process.pid },
  { name: "docker exec", act: viaDocker, pid: undefined },
  { name: `grpc-js alone, chunks of ${largest >> 10} KiB`, act: () => bare.down(bytes, largest), pid: server.pid },
].map((kind) => ({ ...kind, seconds: [] as number[], cpu: [] as number[] }));
for (let round = 0; round < rounds; round += 1)
  for (const { act, pid, seconds, cpu } of kinds) {
    const before = pid === undefined ? 0 : cpuSeconds(pid);
    const start = performance.now();
    await act();
    seconds.push((performance.now() - start) / 1000);
    if (pid !== undefined) cpu.push(cpuSeconds(pid) - before);
  }

console.log(`\n${mebibytes} MiB of standard output`);
const best = kinds.map(({ name, seconds, cpu }) => {
  const rate = bytes / 1e6 / Math.min(...seconds);
  const perGib = cpu.length === 0 ? "" : `${((Math.min(...cpu) / mebibytes) * 1024).toFixed(2)} CPU s/GiB`;
  console.log(`${name.padEnd(44)}${`${rate.toFixed(0)} MB/s`.padStart(12)}${perGib.padStart(20)}`);
  return { rate, cpu: Math.min(...cpu) };
});
const [own, exec, alone] = best;
if (own !== undefined && exec !== undefined && alone !== undefined) {
  console.log(`against docker exec: ${(own.rate / exec.rate).toFixed(2)} (goal 1.0)`);
  console.log(`against grpc-js alone: ${(own.rate / alone.rate).toFixed(2)} (goal 0.8)`);
  console.log(`CPU time of the server against grpc-js alone: ${(own.cpu / alone.cpu).toFixed(2)}`);
}
console.log(
  `noise: rounds of grpc-js alone differ by ${noiseOf((kinds[2]?.seconds ?? []).map((each) => [each])).toFixed(2)} times`,
);
