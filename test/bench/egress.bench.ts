/**
 * Prints what the way out costs: small requests at the 50th, 95th and 99th percentile, requests in one of many open tunnels, and the throughput of large bodies, directly, through Sallyport's proxy,
 * and through tinyproxy where it is installed; and Fetch against bare undici. Server and proxies are processes of their own; all of it is on the loopback. The kinds take turns, so that a busy
 * machine is equally busy for each; the processor time of the proxy beside each figure is what a busy machine does not change. Under each comparison stands Sallyport against tinyproxy.
 *
 *     node test/bench/egress.bench.ts [requests] [MiB]
 */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "undici";
import { parseAllowRange } from "../../src/egress/allow-range.ts";
import { createFetcher } from "../../src/egress/fetcher.ts";
import { createProxy } from "../../src/egress/proxy.ts";
import { createResolve } from "../../src/egress/resolve.ts";
import type { EntryId, SessionId } from "../../src/model/ids.ts";
import { Permit } from "../../src/model/permit.ts";
import { listenInside } from "../egress/support/inside-listener.ts";
import {
  type Ask,
  forwarded,
  type Load,
  openWay,
  originAddress as address,
  tunnelled,
  type Way,
} from "./support/egress-asks.ts";
import { heading, percentilesOf, row } from "./support/percentiles.ts";
import { startTinyproxy } from "./support/start-tinyproxy.ts";

const session = "bench" as SessionId;
const parts = {
  resolve: createResolve({ servers: ["127.0.0.1:9"], timeoutMs: 100, tries: 1 }),
  rules: { allow: [parseAllowRange("127.0.0.0/8")], ports: [80, 443], ownAddresses: () => [], ownPorts: () => [] },
};
const [role, ...rest] = process.argv.slice(2);
if (role === "origin") serveOrigin();
else if (role === "proxy") await serveProxy();
else await bench(Number(role ?? 400), Number(rest[0] ?? 1024));

/** `/N` has so many bytes and says so beforehand, `/N?chunked` does not; what is uploaded is taken. */
function serveOrigin(): void {
  const block = Buffer.alloc(65_536, "x");
  const server = createServer((request, response) => {
    request.resume();
    const [count = "", how] = (request.url ?? "/").slice(1).split("?");
    let left = Number(count);
    if (how === undefined) response.setHeader("Content-Length", left);
    const more = (): void => {
      while (left > 0) {
        const piece = left < block.length ? block.subarray(0, left) : block;
        left -= piece.length;
        if (response.write(piece)) continue;
        response.once("drain", more);
        return;
      }
      response.end();
    };
    if (request.method === "POST") request.once("end", more);
    else more();
  });
  server.listen(0, address, () => process.send?.((server.address() as AddressInfo).port));
  process.once("disconnect", () => process.exit());
}

/** The proxy with a gate that says yes, reached by sockets as if the runtime had handed them over. */
async function serveProxy(): Promise<void> {
  const proxy = createProxy({
    ...parts,
    admit: (id, intent) =>
      Promise.resolve({
        permit: Permit.issue({ ...intent, session: id }, "e" as EntryId),
        revoked: new AbortController().signal,
        end: () => undefined,
      }),
    limits: { connectionsPerSession: 1000 },
  });
  process.send?.((await listenInside(session, proxy.accept)).port);
  process.once("disconnect", () => process.exit());
}

async function bench(requests: number, mebibytes: number): Promise<void> {
  const children: ChildProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), "sp-bench-"));
  try {
    const { port: origin } = await start(children, "origin");
    const ways: Way[] = [
      { name: "direct", proxy: undefined },
      { name: "Sallyport", proxy: await start(children, "proxy") },
    ];
    const tiny = await startTinyproxy(children, folder);
    if (tiny === undefined) console.log("tinyproxy is not installed: no comparison with it");
    else ways.push({ name: "tinyproxy", proxy: tiny });
    console.log(heading);
    for (const kind of [forwarded, tunnelled])
      for (const atOnce of [1, 64, 256]) await compare(kind, ways, origin, requests, atOnce);
    for (const standing of [1, 256]) await compareStanding(ways, origin, requests, standing);
    await compareThroughput(ways, origin, mebibytes);
    await compareFetch(origin, requests);
  } finally {
    for (const child of children) {
      if (child.connected) child.disconnect();
      else child.kill();
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(kind: Ask, ways: readonly Way[], origin: number, requests: number, atOnce: number) {
  const times = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  const spent = new Map<string, number>(ways.map(({ name }) => [name, 0]));
  const rounds = Math.ceil(requests / atOnce / 4);
  for (let round = -1; round < rounds * 4; round += 1)
    for (const way of ways) {
      const before = processorMs(way);
      const batch = Array.from({ length: atOnce }, async () => {
        const started = performance.now();
        await kind(origin, way, { down: 0 });
        if (round >= 0) times.get(way.name)?.push(performance.now() - started);
      });
      await Promise.all(batch);
      if (round >= 0) spent.set(way.name, (spent.get(way.name) ?? 0) + processorMs(way) - before);
    }
  for (const [name, found] of times) {
    const each = (spent.get(name) ?? 0) / found.length;
    console.log(`${row(`${kind.name}, ${atOnce} at once, ${name}`, percentilesOf(found))}${processorCell(each)}`);
  }
  const [ours, theirs] = [times.get("Sallyport"), times.get("tinyproxy")];
  if (ours === undefined || theirs === undefined) return;
  const [mine, other] = [percentilesOf(ours), percentilesOf(theirs)];
  console.log(
    `  over tinyproxy: ${(mine.p50 - other.p50).toFixed(2)} ms at p50, ${(mine.p99 - other.p99).toFixed(2)} ms at p99, ${((mine.p50 - other.p50) / atOnce).toFixed(2)} ms for each of those at once`,
  );
}

/** One request after the other in a tunnel that stands, while others stand and are used in turn. */
async function compareStanding(ways: readonly Way[], origin: number, requests: number, standing: number) {
  for (const way of ways) {
    const tunnels = await Promise.all(Array.from({ length: standing }, () => openWay(origin, way)));
    const times: number[] = [];
    for (let round = -20; round < requests; round += 1) {
      const socket = tunnels[(round + 20) % standing];
      if (socket === undefined) continue;
      const started = performance.now();
      await exchangeOn(socket);
      if (round >= 0) times.push(performance.now() - started);
    }
    for (const socket of tunnels) socket.destroy();
    console.log(row(`kept, ${standing} tunnels stand, ${way.name}`, percentilesOf(times)));
  }
}

function exchangeOn(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once("data", () => resolve());
  socket.once("error", reject);
  socket.write(`GET /0 HTTP/1.1\r\nHost: ${address}\r\n\r\n`);
  return promise.finally(() => socket.off("error", reject));
}

/** Rounds of a quarter of the size, in turn, after one of a sixteenth that does not count; the size is shared by those at once. */
async function compareThroughput(ways: readonly Way[], origin: number, mebibytes: number): Promise<void> {
  const quarter = (mebibytes * 1024 * 1024) / 4;
  const kinds: readonly (readonly [string, Ask, (bytes: number) => Load, number])[] = [
    ["forwarded down", forwarded, (down) => ({ down }), 1],
    ["tunnelled down", tunnelled, (down) => ({ down }), 1],
    ["forwarded up", forwarded, (up) => ({ down: 0, up }), 1],
    ["tunnelled up", tunnelled, (up) => ({ down: 0, up }), 1],
    ["forwarded down, chunked", forwarded, (down) => ({ down, chunked: true }), 1],
    ["forwarded down", forwarded, (down) => ({ down }), 64],
    ["tunnelled down", tunnelled, (down) => ({ down }), 64],
  ];
  for (const [what, kind, load, atOnce] of kinds) {
    const wall = new Map<string, number>();
    const spent = new Map<string, number>();
    for (let round = -1; round < 4; round += 1)
      for (const way of ways) {
        const before = processorMs(way);
        const started = performance.now();
        const bytes = Math.ceil((round < 0 ? quarter / 4 : quarter) / atOnce);
        await Promise.all(Array.from({ length: atOnce }, () => kind(origin, way, load(bytes))));
        if (round < 0) continue;
        wall.set(way.name, (wall.get(way.name) ?? 0) + performance.now() - started);
        spent.set(way.name, (spent.get(way.name) ?? 0) + processorMs(way) - before);
      }
    for (const { name } of ways) {
      const rate = (quarter * 4) / 1000 / (wall.get(name) ?? Number.NaN);
      const perGibibyte = ((spent.get(name) ?? 0) * 1024) / mebibytes;
      console.log(
        `${`${what}, ${atOnce} at once, ${name}`.padEnd(44)}${rate.toFixed(0).padStart(7)} MB/s${processorCell(perGibibyte)} per GiB`,
      );
    }
    const share = (of: ReadonlyMap<string, number>): string =>
      ((of.get("tinyproxy") ?? Number.NaN) / (of.get("Sallyport") ?? Number.NaN)).toFixed(2);
    if (wall.has("tinyproxy"))
      console.log(
        `  of tinyproxy's: throughput ${share(wall)}, throughput for each second of processor ${share(spent)}`,
      );
  }
}

/** Processor time that a way's proxy has used, milliseconds (proc(5): fields 14 and 15, in hundredths of a second). */
function processorMs({ proxy }: Way): number {
  if (proxy === undefined) return 0;
  const fields = readFileSync(`/proc/${proxy.pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function processorCell(ms: number): string {
  return `${ms.toFixed(2).padStart(11)} ms CPU`;
}

/** Fetch keeps no connection, so bare undici gets a client of its own for each request, too. */
async function compareFetch(origin: number, requests: number): Promise<void> {
  const fetcher = createFetcher(parts);
  const url = `http://${address}:${origin}/0`;
  const action = {
    kind: "fetch",
    url,
    method: "GET",
    headers: [],
    body: undefined,
    maxBytes: 1000,
    timeoutMs: 9000,
  } as const;
  const kinds = {
    undici: async () => {
      const client = new Client(`http://${address}:${origin}`);
      const { body } = await client.request({ path: "/0", method: "GET" });
      await body.text();
      await client.close();
    },
    Fetch: async () => {
      const permit = Permit.issue({ ...action, hop: 0, session, host: address, port: origin }, "e" as EntryId);
      const result = await fetcher.fetch(
        permit,
        () => Promise.reject(new Error("no redirect")),
        AbortSignal.timeout(9000),
      );
      for await (const chunk of result.body) if (chunk.length === 0) break;
    },
  };
  const times = new Map<string, number[]>(Object.keys(kinds).map((name) => [name, []]));
  const spent = new Map<string, number>();
  for (let round = -20; round < requests; round += 1)
    for (const [name, act] of Object.entries(kinds)) {
      const before = process.cpuUsage();
      const started = performance.now();
      await act();
      if (round < 0) continue;
      times.get(name)?.push(performance.now() - started);
      const { user, system } = process.cpuUsage(before);
      spent.set(name, (spent.get(name) ?? 0) + (user + system) / 1000);
    }
  for (const [name, found] of times)
    console.log(
      `${row(`small, ${name}`, percentilesOf(found))}${processorCell((spent.get(name) ?? 0) / found.length)}`,
    );
}

/** Starts this file in another role; resolves with the port that it listens on. */
function start(children: ChildProcess[], what: "origin" | "proxy"): Promise<{ port: number; pid: number }> {
  const child = fork(import.meta.filename, [what]);
  children.push(child);
  const { promise, resolve, reject } = Promise.withResolvers<{ port: number; pid: number }>();
  child.once("message", (port) => resolve({ port: Number(port), pid: child.pid ?? 0 }));
  child.once("exit", () => reject(new Error(`${what} ended`)));
  return promise;
}
