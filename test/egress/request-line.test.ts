import { afterEach, beforeEach, expect, it } from "vitest";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { ask, connectRaw } from "./support/raw-client.ts";
import { startRaw, type Listening } from "./support/servers.ts";

let p: ProxyLab;
let upstream: Listening;
beforeEach(async () => {
  p = await openProxyLab();
  upstream = await startRaw((socket) => void socket.pipe(socket));
  p.lab.open(upstream.port);
  p.lab.denied.add("denied.test");
});
afterEach(() => Promise.all([p.close(), upstream.close()]));

const connectTo = (target: string) => ask(p.port, `CONNECT ${target} HTTP/1.1\r\nHost: x.test\r\n\r\n`);
const get = (url: string) =>
  ask(p.port, `GET ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`);

it("is one for each tunnel, once it is over", async () => {
  const client = await connectRaw(p.port);
  client.send(`CONNECT ok.test:${upstream.port} HTTP/1.1\r\nHost: x.test\r\n\r\n`);
  await client.until(/200/);
  client.send("ping");
  await client.until(/ping/);
  expect(p.lines).toEqual([]);
  client.socket.end();
  await client.closed;
  await expect.poll(() => p.lines.length).toBe(1);
  expect(p.lines[0]).toMatchObject({
    entrance: "connect",
    session: "s",
    host: "ok.test",
    port: upstream.port,
    verdict: "allow",
    reason: "ok",
    address: "127.0.0.2",
    bytesUp: 4,
    bytesDown: 4,
  });
});

it("is one for each forwarded request, and says nothing of path and query", async () => {
  await get(p.lab.url("/secret?token=1"));
  await expect.poll(() => p.lines.length).toBe(1);
  expect(p.lines[0]).toMatchObject({ entrance: "forward", host: "ok.test", method: "GET", status: 200, reason: "ok" });
  expect(JSON.stringify(p.lines)).not.toMatch(/secret|token/);
});

it.each([
  [() => connectTo("denied.test:443"), { entrance: "connect", verdict: "deny", reason: "permission_denied" }],
  [
    () => connectTo("127.0.0.1:443"),
    { entrance: "connect", host: "127.0.0.1", verdict: "deny", reason: "addr_private" },
  ],
  [() => connectTo("missing.test:443"), { entrance: "connect", verdict: "error", reason: "dns_nxdomain" }],
  [() => connectTo("a@b:1"), { entrance: "connect", host: "", verdict: "error", reason: "bad_host" }],
  [() => get("http://denied.test/"), { entrance: "forward", host: "denied.test", verdict: "deny" }],
  [
    () =>
      ask(
        p.port,
        "GET http://denied.test/ HTTP/1.1\r\nHost: denied.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
      ),
    { entrance: "upgrade", host: "denied.test", verdict: "deny" },
  ],
  [
    () => ask(p.port, "\x05\x01\x00\x05\x01\x00\x03\x0bdenied.test\x01\xbb"),
    { entrance: "socks5", host: "denied.test", verdict: "deny" },
  ],
  [() => ask(p.port, "\x05\x01\x09"), { entrance: "socks5", verdict: "error", reason: "protocol_error" }],
])("is one for what is not carried out", async (act, expected) => {
  await act();
  await expect.poll(() => p.lines.length).toBe(1);
  expect(p.lines[0]).toMatchObject(expected);
});
