import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFetcher } from "../../src/egress/fetcher.ts";
import { parseUpstreamProxy, type UpstreamProxy } from "../../src/egress/upstream-proxy.ts";
import { testAuthority } from "./support/certificates.ts";
import { admitFetch, fetchIntent, reasonOf } from "./support/lab.ts";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { ask, statusOf } from "./support/raw-client.ts";
import { startHttps } from "./support/servers.ts";

let p: ProxyLab;
let upstream: UpstreamProxy;
/** What the upstream proxy was asked for, and how it answers. */
const asked: string[] = [];
const logins: (string | undefined)[] = [];
let status = 200;
/** What it answers in place of a status. */
let lie: string | undefined;
const server = createServer();
server.on("connect", (request, socket, head) => {
  asked.push(`${request.url ?? ""} ${request.headers.host ?? ""}`);
  logins.push(request.headers["proxy-authorization"]);
  if (status !== 200) {
    socket.end(lie ?? `HTTP/1.1 ${status} No\r\n\r\n`);
    return;
  }
  const [host = "", port = ""] = (request.url ?? "").split(":");
  const target = connect(Number(port), host, () => {
    socket.write("HTTP/1.1 200 OK\r\nX-Long: yes\r\n\r\n");
    target.write(head);
    target.pipe(socket).pipe(target);
  });
  target.on("error", () => socket.destroy());
  socket.on("error", () => target.destroy());
});

beforeEach(async () => {
  asked.length = 0;
  logins.length = 0;
  status = 200;
  lie = undefined;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  upstream = parseUpstreamProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  p = await openProxyLab({}, undefined, { upstream });
});
afterEach(async () => {
  expect(p.lab.canary.accepted()).toBe(0);
  await p.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const get = () =>
  ask(p.port, `GET ${p.lab.url("/")} HTTP/1.1\r\nHost: ok.test:${p.lab.origin.port}\r\nConnection: close\r\n\r\n`);

function fetched(url = p.lab.url("/f")) {
  const fetcher = createFetcher({ ...p.lab.parts, upstream, ca: [testAuthority] });
  const permit = admitFetch(p.lab, fetchIntent(url, { maxBytes: 1000, timeoutMs: 9000 }));
  return fetcher.fetch(permit, () => Promise.reject(new Error("no redirect")), new AbortController().signal);
}

describe("an upstream proxy", () => {
  it("is asked for addresses that were judged, never for a name", async () => {
    expect(statusOf(await get())).toBe(200);
    const place = `127.0.0.2:${p.lab.origin.port}`;
    const result = await fetched();
    await result.close();
    expect(result.hops).toEqual([expect.objectContaining({ status: 200, address: place })]);
    expect(asked).toEqual([`${place} ${place}`, `${place} ${place}`]);
    expect(p.lines).toMatchObject([{ verdict: "allow", address: "127.0.0.2" }]);
  });

  it("carries TLS whose certificate is verified here", async () => {
    const secure = await startHttps((_request, response) => void response.end("secure"));
    p.lab.open(secure.port);
    const result = await fetched(`https://ok.test:${secure.port}/`);
    const parts: Uint8Array[] = [];
    for await (const part of result.body) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe("secure");
    expect(asked).toEqual([`127.0.0.2:${secure.port} 127.0.0.2:${secure.port}`]);
    await secure.close();
  });

  it("is not asked for what the guard refuses", async () => {
    p.lab.dns.zones.set("bad.test", { addresses: ["10.0.0.1"] });
    const answer = await ask(p.port, "GET http://bad.test/ HTTP/1.1\r\nHost: bad.test\r\nConnection: close\r\n\r\n");
    expect([statusOf(answer), answer.includes("addr_private")]).toEqual([403, true]);
    expect(asked).toEqual([]);
  });

  it.each([
    "",
    "\0",
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 2000 OK\r\n\r\n",
    "HTTP/2.0 200 OK\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    " HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\n\n",
    "SSH-2.0-x\r\n\r\n",
    `HTTP/1.1 200 OK\r\nX: ${"a".repeat(20_000)}\r\n\r\n`,
  ])("that answers %j has opened no tunnel", async (text) => {
    status = 0;
    lie = text;
    const answer = await get();
    expect([statusOf(answer), answer.includes("connect_failed")]).toEqual([502, true]);
    expect(await reasonOf(fetched())).toBe("connect_failed");
  });

  it("gets its login, which nobody else does", async () => {
    let seen = "";
    p.lab.setHandler((request, response) => {
      seen += request.rawHeaders.join(" ");
      response.end("hello");
    });
    expect(statusOf(await get())).toBe(200);
    upstream = parseUpstreamProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "me:p:ä");
    await p.close();
    p = await openProxyLab({}, undefined, { upstream });
    p.lab.setHandler((request, response) => {
      seen += request.rawHeaders.join(" ");
      response.end("hello");
    });
    const own = "Proxy-Authorization: Basic eDp5\r\n";
    const place = `ok.test:${p.lab.origin.port}`;
    const request = `GET ${p.lab.url("/")} HTTP/1.1\r\nHost: ${place}\r\n${own}Connection: close\r\n\r\n`;
    expect(statusOf(await ask(p.port, request))).toBe(200);
    const login = `Basic ${Buffer.from("me:p:ä").toString("base64")}`;
    expect(logins).toEqual([undefined, login]);
    expect(seen).not.toMatch(/authorization/i);
    status = 407;
    const refused = await ask(p.port, request);
    expect(refused).toContain("wants a login");
    expect(refused + JSON.stringify(p.lines)).not.toContain(login.slice(6));
  });

  it.each(["me", ":p", "me:p\r\nX: y", "m\0e:p", ""])("takes no login %j", (login) => {
    expect(() => parseUpstreamProxy("http://127.0.0.1:3128", login)).toThrow(
      expect.objectContaining({ reason: "bad_header" }),
    );
  });

  it("that refuses is a connection that failed", async () => {
    status = 407;
    const answer = await get();
    expect([statusOf(answer), answer.includes("status 407")]).toEqual([502, true]);
    expect(await reasonOf(fetched())).toBe("connect_failed");
    expect(p.lab.origin.accepted()).toBe(0);
  });

  it.each([
    "http://proxy.test:3128",
    "https://127.0.0.1:3128",
    "http://u:p@127.0.0.1:3128",
    "http://127.0.0.1:3128/x",
    "http://169.254.169.254:80",
    "nonsense",
  ])("cannot be %s", (text) => {
    expect(() => parseUpstreamProxy(text)).toThrow();
  });
});
