/**
 * Prints what the way out costs: small requests at the 50th, 95th and 99th percentile, requests at a fixed rate, requests in one of many open tunnels, and the throughput of large bodies, directly, through Sallyport's proxy,
 * and through tinyproxy where it is installed; and Fetch against bare undici. Server and proxies are processes of their own; all of it is on the loopback. The kinds take turns, so that a busy
 * machine is equally busy for each; the processor time of the proxy beside each figure is what a busy machine does not change. Under each comparison stands Sallyport against tinyproxy.
 * Each comparison ends after some seconds, with as many rounds as there was time for: all of it takes three or four minutes.
 *
 *     node test/bench/egress.bench.ts [requests] [MiB]
 */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllowRange } from "../../src/egress/allow-range.ts";
import { createFetcher } from "../../src/egress/fetcher.ts";
import { createProxy } from "../../src/egress/proxy.ts";
import { createResolve } from "../../src/egress/resolve.ts";
import type { EntryId, SessionId } from "../../src/model/ids.ts";
import { Permit } from "../../src/model/permit.ts";
import { listenInside } from "../egress/support/inside-listener.ts";
import { clients, compareAtRate } from "./support/compare-at-rate.ts";
import { compareFetch } from "./support/compare-fetch.ts";
import { compareThroughput } from "./support/compare-throughput.ts";
import { type Ask, forwarded, openWay, originAddress as address, tunnelled, type Way } from "./support/egress-asks.ts";
import { heading, percentilesOf, row } from "./support/percentiles.ts";
import { startBudget } from "./support/time-budget.ts";
import { startTinyproxy } from "./support/start-tinyproxy.ts";
import { takeTurns } from "./support/take-turns.ts";

/** Milliseconds for each comparison, after which no further round begins. */
const budgetMs = 7000;
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
  // Tunnels that stand are not closed while another way has its turn.
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
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
    for (const kind of [forwarded, tunnelled])
      await compareAtRate(`${kind.name}, ${clients} clients`, ways, (way) => kind(origin, way, { down: 0 }));
    for (const standing of [1, 256]) await compareStanding(ways, origin, requests, standing);
    await compareStandingAtRate(ways, origin, 256);
    await compareThroughput(ways, origin, mebibytes);
    await compareFetch(createFetcher(parts), origin, requests);
  } finally {
    for (const child of children) {
      if (child.connected) child.disconnect();
      else child.kill();
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rounds in which each way has `atOnce` requests under way, after one that does not count. */
async function compare(kind: Ask, ways: readonly Way[], origin: number, requests: number, atOnce: number) {
  const turn = async (way: Way): Promise<number[]> =>
    Promise.all(
      Array.from({ length: atOnce }, async () => {
        const started = performance.now();
        await kind(origin, way, { down: 0 });
        return performance.now() - started;
      }),
    );
  for (const way of ways) await turn(way);
  const goesOn = startBudget(Math.ceil(requests / atOnce), budgetMs);
  const over = await takeTurns(`${kind.name}, ${atOnce} at once`, ways, turn, goesOn);
  if (over === undefined) return;
  console.log(
    `  over tinyproxy: ${over.p50.toFixed(2)} ms at p50, ${over.p99.toFixed(2)} ms at p99, ${(over.p50 / atOnce).toFixed(2)} ms for each of those at once`,
  );
}

/** One request after the other, each in the next of the tunnels that stand. */
async function compareStanding(ways: readonly Way[], origin: number, requests: number, standing: number) {
  for (const way of ways) {
    const tunnels = await Promise.all(Array.from({ length: standing }, () => openWay(origin, way)));
    const turn = async (round: number): Promise<number> => {
      const socket = tunnels[round % standing];
      if (socket === undefined) throw new Error("no tunnel stands");
      const started = performance.now();
      await exchangeOn(socket);
      return performance.now() - started;
    };
    for (let warm = 0; warm < 20; warm += 1) await turn(warm);
    const times: number[] = [];
    const goesOn = startBudget(requests, budgetMs / 3);
    while (goesOn(times.length)) times.push(await turn(times.length + 20));
    for (const socket of tunnels) socket.destroy();
    console.log(row(`kept, ${standing} tunnels stand, ${way.name}`, percentilesOf(times)));
  }
}

/** Requests at a fixed rate in many tunnels that stand all the while, each in the next of its way's. */
async function compareStandingAtRate(ways: readonly Way[], origin: number, standing: number) {
  const open = new Map<Way, Socket[]>();
  for (const way of ways)
    open.set(way, await Promise.all(Array.from({ length: standing }, () => openWay(origin, way))));
  let turn = 0;
  await compareAtRate(`kept, ${standing} tunnels`, ways, (way) => {
    const socket = open.get(way)?.[(turn += 1) % standing];
    if (socket === undefined) throw new Error("no tunnel stands");
    return exchangeOn(socket);
  });
  for (const socket of [...open.values()].flat()) socket.destroy();
}

function exchangeOn(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once("data", () => resolve());
  socket.once("error", reject);
  socket.write(`GET /0 HTTP/1.1\r\nHost: ${address}\r\n\r\n`);
  return promise.finally(() => socket.off("error", reject));
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
