import { type ChildProcess, execFileSync, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { findRipgrep } from "../../src/files/search/find-ripgrep.ts";
import { Mode } from "../../src/gen/sallyport/v1/common_pb.ts";
import { WriteDisposition } from "../../src/gen/sallyport/v1/files_pb.ts";
import { letHeapGrow } from "../../src/wiring/stream-memory.ts";
import { type RunningSallyport, startSallyport } from "../e2e/support/start-sallyport.ts";
import { type BareStream, connectBare } from "./support/bare-stream.ts";
import { heading, percentilesOf, row, timed } from "./support/percentiles.ts";

// The file service against what does the same without it: whole files against cat, cp and the best that grpc-js reaches with the same chunk; small calls against node:fs; a search
// against ripgrep. Contenders alternate, so that the machine's noise hits all alike; each shows its best round. SALLYPORT_BENCH_MB and SALLYPORT_BENCH_FILES change the sizes. The heap
// of all three processes grows alike, so that grpc-js alone is the ceiling under the same conditions.
letHeapGrow();
const megabytes = Number(process.env["SALLYPORT_BENCH_MB"] ?? "256");
const fileCount = Number(process.env["SALLYPORT_BENCH_FILES"] ?? "50000");
const rounds = 3;
const chunk = 262_144;
const bytes = megabytes * 1024 * 1024;

const sallyport = await startSallyport({
  settings: "files: { size: 4GiB, day: 1000GiB }\naudit: { synchronous: normal }\n",
});
try {
  const client = sallyport.client();
  const { session } = await client.sessions.open({ key: "bench", mode: Mode.ALLOW_ALL });
  const sessionId = session?.id ?? "";
  await streams(sallyport, client, sessionId);
  await small(sallyport, client, sessionId);
  await search(sallyport, client, sessionId);
} finally {
  await sallyport.remove();
}

interface Contender {
  readonly name: string;
  readonly act: () => Promise<unknown>;
  /** The other process that works. */
  readonly pid?: number | undefined;
}

interface Rates {
  /** MB a second. */
  readonly wall: number;
  /** MB for a second of CPU of both processes: a busy machine changes it little. */
  readonly cpu: number;
}

/** The best of each. */
async function race(contenders: readonly Contender[]): Promise<Map<string, Rates>> {
  const best = new Map<string, Rates>();
  for (let round = 0; round < rounds; round += 1)
    for (const { name, act, pid } of contenders) {
      const [start, used] = [performance.now(), cpuMs(pid)];
      await act();
      const wall = bytes / 1e3 / (performance.now() - start);
      const cpu = bytes / 1e3 / (cpuMs(pid) - used);
      const before = best.get(name) ?? { wall: 0, cpu: 0 };
      best.set(name, { wall: Math.max(before.wall, wall), cpu: Math.max(before.cpu, cpu) });
    }
  for (const [name, { wall, cpu }] of best) {
    const cell = `${wall.toFixed(0)} MB/s`.padStart(12);
    console.log(`${name.padEnd(44)}${cell}${`${cpu.toFixed(0)} MB per CPU second`.padStart(26)}`);
  }
  return best;
}

/** Milliseconds of CPU of this process, its children that ended, and another one (proc_pid_stat(5), in ticks of 10 ms). */
function cpuMs(pid: number | undefined): number {
  return [process.pid, ...(pid === undefined ? [] : [pid])].reduce((sum, each) => {
    const fields = readFileSync(`/proc/${each}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return sum + fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) * 10;
  }, 0);
}

async function streams(
  { workspace, home, process: service }: RunningSallyport,
  client: SallyportClient,
  sessionId: string,
): Promise<void> {
  const source = join(workspace, "source");
  execFileSync("dd", ["if=/dev/urandom", `of=${source}`, "bs=1M", `count=${megabytes}`], { stdio: "ignore" });
  const { server, bare } = await startBare(home);
  const data = Buffer.alloc(chunk, "x");
  const start = { sessionId, path: join(workspace, "written"), disposition: WriteDisposition.OVERWRITE };
  async function* parts() {
    yield { part: { case: "start" as const, value: start } };
    for (let sent = 0; sent < bytes; sent += chunk) yield { part: { case: "data" as const, value: data } };
  }
  async function read(): Promise<void> {
    let got = 0;
    for await (const { part } of client.files.read({ sessionId, path: source }))
      if (part.case === "data") got += part.value.length;
    if (got !== bytes) throw new Error(`${got} bytes instead of ${bytes}`);
  }
  console.log(`\n${megabytes} MiB in chunks of ${chunk / 1024} KiB`);
  const rates = await race([
    { name: "Files.Read", act: read, pid: service.pid },
    { name: "grpc-js alone, down", act: () => bare.down(bytes, chunk), pid: server.pid },
    { name: "cat > /dev/null", act: async () => void spawnSync("sh", ["-c", `cat '${source}' > /dev/null`]) },
    { name: "Files.Write, with fsync", act: () => client.files.write(parts()), pid: service.pid },
    { name: "grpc-js alone, up", act: () => bare.up(bytes, chunk), pid: server.pid },
    {
      name: "cp, then sync",
      act: async () => void spawnSync("sh", ["-c", `cp '${source}' '${source}.2' && sync '${source}.2'`]),
    },
  ]);
  bare.close();
  server.kill();
  for (const [ours, theirs] of [
    ["Files.Read", "grpc-js alone, down"],
    ["Files.Write, with fsync", "grpc-js alone, up"],
  ] as const) {
    ratio(`${ours} against ${theirs}`, rates.get(ours)?.wall, rates.get(theirs)?.wall);
    ratio(`${ours} against ${theirs}, by CPU`, rates.get(ours)?.cpu, rates.get(theirs)?.cpu);
  }
}

/** grpc-js alone, in a process of its own. */
async function startBare(home: string): Promise<{ server: ChildProcess; bare: BareStream }> {
  const socket = join(home, "bare.sock");
  rmSync(socket, { force: true });
  const server = fork(join(import.meta.dirname, "support/bare-stream.ts"), [socket]);
  await once(server, "message");
  return { server, bare: connectBare(socket) };
}

async function small({ workspace, home }: RunningSallyport, client: SallyportClient, sessionId: string): Promise<void> {
  const { server, bare } = await startBare(home);
  const path = join(workspace, "small");
  writeFileSync(path, Buffer.alloc(4096, "x"));
  async function read(): Promise<void> {
    let got = 0;
    for await (const { part } of client.files.read({ sessionId, path }))
      if (part.case === "data") got += part.value.length;
    if (got !== 4096) throw new Error(`${got} bytes`);
  }
  const contenders = [
    { name: "Files.Stat: decided and recorded", act: () => client.files.stat({ sessionId, path }) },
    { name: "Files.Read of 4 KiB: decided and recorded", act: read },
    { name: "grpc-js alone, one answer", act: bare.unary },
    { name: "grpc-js alone, a stream of 4 KiB", act: () => bare.down(4096, 4096) },
    { name: "node:fs lstat", act: () => lstat(path) },
    { name: "node:fs readFile of 4 KiB", act: () => readFile(path) },
  ].map((contender) => ({ ...contender, samples: [] as number[] }));
  for (const { act } of contenders) await timed(500, act);
  for (let round = 0; round < 10; round += 1)
    for (const { act, samples } of contenders) samples.push(...(await timed(1000, act)));
  bare.close();
  server.kill();
  console.log(`\n10,000 small calls, one after the other\n${heading}`);
  for (const { name, samples } of contenders) console.log(row(name, percentilesOf(samples)));
  for (const { name, act } of contenders.slice(0, 2)) {
    const start = performance.now();
    await Promise.all(Array.from({ length: 32 }, async () => void (await timed(10_000 / 32, act))));
    console.log(
      `${`${name}, 32 at once`.padEnd(52)}${((10_000 / (performance.now() - start)) * 1000).toFixed(0)} a second`,
    );
  }
}

async function search({ workspace }: RunningSallyport, client: SallyportClient, sessionId: string): Promise<void> {
  const root = join(workspace, "tree");
  for (let at = 0; at < fileCount; at += 1) {
    const folder = join(root, `d${Math.floor(at / 1000)}`, `e${Math.floor(at / 50) % 20}`);
    if (at % 50 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `f${at}.txt`),
      `line one of ${at}\n${at % 500 === 0 ? "needle here\n" : ""}${"some text\n".repeat(20)}`,
    );
  }
  const ripgrep = (await findRipgrep()) ?? "rg";
  let hits = 0;
  async function ours(): Promise<void> {
    hits = 0;
    for await (const { summary } of client.files.search({ sessionId, path: root, pattern: "needle" }))
      if (summary === undefined) hits += 1;
  }
  async function theirs(): Promise<void> {
    const { stdout } = spawnSync(ripgrep, ["--no-config", "-n", "needle", root], { encoding: "utf8" });
    if (stdout.split("\n").length - 1 !== hits) throw new Error("they find something else");
  }
  const contenders = [
    { name: "Files.Search: each hit looked up", act: ours },
    { name: "ripgrep", act: theirs },
  ].map((contender) => ({ ...contender, samples: [] as number[] }));
  for (let round = 0; round < 15; round += 1)
    for (const { act, samples } of contenders) samples.push(...(await timed(1, act)));
  console.log(`\na search of ${fileCount} files, ${hits} hits\n${heading}`);
  for (const { name, samples } of contenders) console.log(row(name, percentilesOf(samples)));
  const [own, bare] = contenders.map(({ samples }) => percentilesOf(samples).p50);
  ratio("Files.Search takes, against ripgrep", own, bare);
}

function ratio(text: string, a: number | undefined, b: number | undefined): void {
  if (a !== undefined && b !== undefined) console.log(`${text}: ${(a / b).toFixed(2)}`);
}
