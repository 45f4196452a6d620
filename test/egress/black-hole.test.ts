import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createServer } from "node:http";
import { once } from "node:events";
import { parseAllowRange } from "../../src/egress/allow-range.ts";
import { createFetcher } from "../../src/egress/fetcher.ts";
import { type BlackHole, openBlackHole } from "./support/black-hole.ts";
import { admitFetch, fetchIntent, reasonOf } from "./support/lab.ts";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { ask, connectRaw, statusOf } from "./support/raw-client.ts";
import { originAddress } from "./support/servers.ts";

let p: ProxyLab;
let hole: BlackHole;
beforeEach(async () => {
  hole = await openBlackHole(originAddress);
  p = await openProxyLab({ connectMs: 700 });
  p.lab.open(hole.port);
});
afterEach(async () => {
  await p.close();
  hole.close();
});

/** What the fetcher is told to fetch. */
const fetchOf = (connectTimeoutMs: number) => {
  const rules = { ...p.lab.parts.rules, allow: [parseAllowRange(`127.0.0.0/8:${hole.port}`)] };
  const fetcher = createFetcher({ ...p.lab.parts, rules, connectTimeoutMs });
  const url = `http://ok.test:${hole.port}/`;
  const permit = admitFetch(p.lab, fetchIntent(url, { maxBytes: 1000, timeoutMs: 20_000 }));
  return fetcher.fetch(permit, () => Promise.reject(new Error("no redirect")), new AbortController().signal);
};

describe("an address where nobody answers", () => {
  it.each([
    ["a forwarded request", () => `GET http://ok.test:${hole.port}/ HTTP/1.1\r\nHost: ok.test:${hole.port}\r\n\r\n`],
    ["a tunnel", () => `CONNECT ok.test:${hole.port} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])("ends %s with 504 and says what did not come", async (_what, request) => {
    const answer = await ask(p.port, request());
    expect(statusOf(answer)).toBe(504);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toMatchObject({
      reason: "connect_timeout",
      host: "ok.test",
      error: expect.stringContaining(`ok.test:${hole.port}: no connection within 700 ms`) as string,
    });
    expect(p.outcomes).toMatchObject([{ kind: "failed", facts: { reason: "connect_timeout" } }]);
  });

  it("ends a SOCKS request as expired", async () => {
    const client = await connectRaw(p.port);
    const name = Buffer.from("ok.test");
    client.send(Buffer.from([5, 1, 0, 5, 1, 0, 3, name.length, ...name, hole.port >> 8, hole.port & 255]));
    const answer = await client.closed;
    expect([...Buffer.from(answer, "latin1").subarray(0, 4)]).toEqual([5, 0, 5, 6]);
  });

  it("ends a fetch", async () => {
    expect(await reasonOf(fetchOf(500))).toBe("connect_timeout");
  });

  it("is left for the next address of the name", async () => {
    const server = createServer((_request, response) => void response.end("hello"));
    await once(server.listen(hole.port, "127.0.0.3"), "listening");
    p.lab.dns.zones.set("ok.test", { addresses: [originAddress, "127.0.0.3"] });
    const result = await fetchOf(15_000);
    expect(result.hops[0]?.address).toBe(`127.0.0.3:${hole.port}`);
    await result.close();
    server.closeAllConnections();
    server.close();
  });
});
