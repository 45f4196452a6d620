import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createFetcher } from "../../src/egress/fetcher.ts";
import { createInterception } from "../../src/egress/intercepting/interception.ts";
import { admitFetch, fetchIntent, reasonOf } from "./support/lab.ts";
import { makeCertificate, type Made, type Said } from "./support/make-certificates.ts";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { connectRaw } from "./support/raw-client.ts";
import { originAddress } from "./support/servers.ts";

const ok = ["ok.test"];
let authority: Made;
let leaf: Made;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  authority = await makeCertificate({ names: ["authority.test"], authority: true });
  leaf = await makeCertificate({ names: ok, by: authority });
});
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

/** Asks a server that shows this certificate, by Fetch and through a tunnel whose TLS ends at the proxy: how each ends, and the requests that it saw. */
async function asked(shown: Made, chain = ""): Promise<readonly unknown[]> {
  let requests = 0;
  const server = createServer({ cert: `${shown.cert}\n${chain}`, key: shown.key }, (_request, response) => {
    requests += 1;
    response.end("hello");
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((done) => server.listen(0, originAddress, done));
  const { port } = server.address() as AddressInfo;
  const hosts = [{ host: { kind: "name", text: "ok.test" }, port } as const];
  const interception = createInterception({ hosts, credentials: [] });
  const p = await openProxyLab({}, undefined, { interception, ca: [authority.cert] });
  ends.push(
    () => p.close(),
    () => new Promise((done) => server.close(done)),
  );
  p.lab.open(port);
  const fetcher = createFetcher({ ...p.lab.parts, ca: [authority.cert] });
  const intent = fetchIntent(`https://ok.test:${port}/`, { maxBytes: 1000, timeoutMs: 9000 });
  const permit = admitFetch(p.lab, intent);
  const signal = AbortSignal.timeout(9000);
  const fetched = await reasonOf(
    fetcher.fetch(permit, () => Promise.reject(new Error("no redirect")), signal).then((found) => found.close()),
  );
  const certificate = (await interception.authorityOf(p.lab.session)).certificate;
  return [fetched, await throughTunnel(p, port, certificate), requests];
}

async function throughTunnel(p: ProxyLab, port: number, ca: string): Promise<string> {
  const client = await connectRaw(p.port);
  client.send(`CONNECT ok.test:${port} HTTP/1.1\r\n\r\n`);
  await client.until(/\r\n\r\n/);
  client.socket.removeAllListeners("data");
  const inside = connectTls({ socket: client.socket, servername: "ok.test", ca });
  inside.write(`GET / HTTP/1.1\r\nHost: ok.test:${port}\r\nConnection: close\r\n\r\n`);
  let text = "";
  for await (const chunk of inside) text += String(chunk);
  return /^HTTP\/1\.1 \d+/.exec(text)?.[0] ?? text;
}

const refused = ["tls_error", "HTTP/1.1 502", 0];

describe("a server's certificate", () => {
  it.each<[string, Said]>([
    ["is for another name", { names: ["evil.test"] }],
    ["is for a longer name", { names: ["ok.test.evil.test"] }],
    ["is for names below", { names: ["*.ok.test"] }],
    ["is for every name", { names: ["*"] }],
    ["has expired", { names: ok, from: -20, until: -1 }],
    ["is not valid yet", { names: ok, from: 1, until: 20 }],
    ["is for clients", { names: ok, forClients: true }],
  ])("is not taken where it %s", async (_what, said) => {
    expect(await asked(await makeCertificate({ ...said, by: authority }))).toEqual(refused);
  });

  it("is not taken where it is its own authority, or another server signed it", async () => {
    expect(await asked(await makeCertificate({ names: ok }))).toEqual(refused);
    expect(await asked(await makeCertificate({ names: ok, by: leaf }), leaf.cert)).toEqual(refused);
  });

  it("is taken where it is for this name and signed by who is trusted", async () => {
    expect(await asked(leaf)).toEqual(["done", "HTTP/1.1 200", 2]);
    const between = await makeCertificate({ names: ["between.test"], authority: true, by: authority });
    const signed = await makeCertificate({ names: ok, by: between });
    expect(await asked(signed, between.cert)).toEqual(["done", "HTTP/1.1 200", 2]);
  });
});
