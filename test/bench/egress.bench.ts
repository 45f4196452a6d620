/**
 * Prints what the way out costs: small requests at the 50th, 95th and 99th percentile and the throughput of a large answer, directly, through Sallyport's proxy, and through tinyproxy where it is
 * installed; and Fetch against bare undici. Server and proxies are processes of their own; all of it is on the loopback. The kinds take turns, so that a busy machine is equally busy for each.
 *
 *     node test/bench/egress.bench.ts [requests] [MiB]
 */
import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, get, type IncomingMessage } from "node:http";
import { connect, createServer as createTcp, type AddressInfo, type Socket } from "node:net";
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
import { heading, percentilesOf, row } from "./support/percentiles.ts";

const address = "127.0.0.2";
const session = "bench" as SessionId;
const parts = {
  resolve: createResolve({ servers: ["127.0.0.1:9"], timeoutMs: 100, tries: 1 }),
  rules: { allow: [parseAllowRange("127.0.0.0/8")], ports: [80, 443], ownAddresses: () => [], ownPorts: () => [] },
};
const [role, ...rest] = process.argv.slice(2);
if (role === "origin") serveOrigin();
else if (role === "proxy") await serveProxy();
else await bench(Number(role ?? 400), Number(rest[0] ?? 256));

/** `/` is small; `/N` has so many bytes. */
function serveOrigin(): void {
  const block = Buffer.alloc(65_536, "x");
  const server = createServer((request, response) => {
    let left = Number((request.url ?? "/").slice(1));
    const more = (): void => {
      while (left > 0) {
        left -= block.length;
        if (response.write(block)) continue;
        response.once("drain", more);
        return;
      }
      response.end("end");
    };
    more();
  });
  server.listen(0, address, () => process.send?.((server.address() as AddressInfo).port));
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
}

/** One way to the origin; `proxy` is a port on the loopback, undefined for the direct way. */
interface Way {
  readonly name: string;
  readonly proxy: number | undefined;
}

async function bench(requests: number, mebibytes: number): Promise<void> {
  const children: ChildProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), "sp-bench-"));
  try {
    const origin = await start(children, "origin");
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
    for (const { name, proxy } of ways) {
      const started = performance.now();
      const bytes = await forwarded(origin, proxy, mebibytes * 1024 * 1024);
      const rate = bytes / 1000 / (performance.now() - started);
      console.log(`${`${mebibytes} MiB, ${name}`.padEnd(44)}${rate.toFixed(0).padStart(9)} MB/s`);
    }
    await compareFetch(origin, requests);
  } finally {
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Ask = (origin: number, proxy: number | undefined, bytes: number) => Promise<number>;

async function compare(ask: Ask, ways: readonly Way[], origin: number, requests: number, atOnce: number) {
  const times = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  const rounds = Math.ceil(requests / atOnce / 4);
  for (let round = -1; round < rounds * 4; round += 1)
    for (const { name, proxy } of ways) {
      const batch = Array.from({ length: atOnce }, async () => {
        const started = performance.now();
        await ask(origin, proxy, 0);
        if (round >= 0) times.get(name)?.push(performance.now() - started);
      });
      await Promise.all(batch);
    }
  for (const [name, found] of times) console.log(row(`${ask.name}, ${atOnce} at once, ${name}`, percentilesOf(found)));
}

/** A request of its own connection; resolves with the bytes of its body. */
function forwarded(origin: number, proxy: number | undefined, bytes: number): Promise<number> {
  const place = `${address}:${origin}`;
  return received((answered) => {
    const options = { agent: false as const, headers: { Host: place } };
    return proxy === undefined
      ? get({ ...options, host: address, port: origin, path: `/${bytes}` }, answered)
      : get({ ...options, host: "127.0.0.1", port: proxy, path: `http://${place}/${bytes}` }, answered);
  });
}

/** A request in a tunnel of its own. */
async function tunnelled(origin: number, proxy: number | undefined, bytes: number): Promise<number> {
  if (proxy === undefined) return forwarded(origin, proxy, bytes);
  const place = `${address}:${origin}`;
  const socket = connect(proxy, "127.0.0.1");
  socket.write(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n`);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  socket.once("data", (head: Buffer) => {
    if (/^HTTP\/1\.[01] 200 /.test(head.toString("latin1"))) resolve(socket);
    else reject(new Error(head.toString("latin1")));
  });
  socket.once("error", reject);
  await promise;
  return received((answered) =>
    get({ createConnection: () => socket, headers: { Host: place, Connection: "close" }, path: `/${bytes}` }, answered),
  );
}

function received(ask: (answered: (answer: IncomingMessage) => void) => ReturnType<typeof get>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  ask((answer) => {
    let count = 0;
    answer.on("data", (chunk: Buffer) => (count += chunk.length));
    answer.once("end", () => (answer.statusCode === 200 ? resolve(count) : reject(new Error(`${answer.statusCode}`))));
    answer.once("error", reject);
  }).once("error", reject);
  return promise;
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
  for (let round = -20; round < requests; round += 1)
    for (const [name, act] of Object.entries(kinds)) {
      const started = performance.now();
      await act();
      if (round >= 0) times.get(name)?.push(performance.now() - started);
    }
  for (const [name, found] of times) console.log(row(`small, ${name}`, percentilesOf(found)));
}

/** Starts this file in another role; resolves with the port that it listens on. */
function start(children: ChildProcess[], what: "origin" | "proxy"): Promise<number> {
  const child = fork(import.meta.filename, [what]);
  children.push(child);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once("message", (port) => resolve(Number(port)));
  child.once("exit", () => reject(new Error(`${what} ended`)));
  return promise;
}

/** Undefined where it is not installed. */
async function startTinyproxy(children: ChildProcess[], folder: string): Promise<number | undefined> {
  if (spawnSync("tinyproxy", ["-v"]).status !== 0) return undefined;
  const port = await freePort();
  const file = join(folder, "tinyproxy.conf");
  writeFileSync(
    file,
    `Port ${port}\nListen 127.0.0.1\nTimeout 60\nMaxClients 1000\nLogLevel Critical\nAllow 127.0.0.1\n`,
  );
  children.push(spawn("tinyproxy", ["-d", "-c", file], { stdio: "ignore" }));
  while (!(await isOpen(port)));
  return port;
}

function isOpen(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => resolve(true));
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

async function freePort(): Promise<number> {
  const server = createTcp();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
