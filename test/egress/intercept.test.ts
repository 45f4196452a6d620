import { createSecureServer as createHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Credential, renderCredential } from "../../src/egress/intercepting/credential.ts";
import { createInterception, type Interception } from "../../src/egress/intercepting/interception.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { testAuthority, testCertificate, testKey } from "./support/certificates.ts";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { ask, connectRaw, statusOf } from "./support/raw-client.ts";
import { type Handler, originAddress, startHttps, type Listening } from "./support/servers.ts";
import { placeholder, secret, testCredential } from "./support/test-credential.ts";

const session = "s" as SessionId;

let p: ProxyLab;
let origin: Listening;
let interception: Interception;
/** What the origin saw: method, path, and every header as `name: value`. */
const seen: { line: string; headers: string[] }[] = [];
let serve: Handler;

beforeEach(async () => {
  seen.length = 0;
  serve = (_request, response) => void response.end("secure hello");
  origin = await startHttps((request, response) => {
    const { rawHeaders } = request;
    seen.push({
      line: `${request.method ?? ""} ${request.url ?? ""}`,
      headers: rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1] ?? ""}`] : [])),
    });
    serve(request, response);
  });
  await open([]);
});
afterEach(async () => {
  expect(p.lab.canary.accepted()).toBe(0);
  await Promise.all([p.close(), origin.close()]);
});

/** Starts the proxy anew, with these credentials and `ok.test` looked into. */
async function open(credentials: readonly Credential[]): Promise<void> {
  const hosts = [{ host: { kind: "name", text: "ok.test" }, port: origin.port } as const];
  interception = createInterception({ hosts, credentials });
  p = await openProxyLab({}, undefined, { interception, ca: [testAuthority] });
  p.lab.open(origin.port);
}

async function reopen(credentials: readonly Credential[]): Promise<void> {
  await p.close();
  await open(credentials);
}

const credential = (more: Partial<Credential> = {}): Credential => testCredential(origin.port, more);

/** TLS with the proxy, as a client in the sandbox that trusts the session's authority. */
async function secureTunnel(
  options: { servername?: string; ca?: string; alpn?: string[]; port?: number } = {},
): Promise<TLSSocket> {
  const client = await connectRaw(options.port ?? p.port);
  client.send(`CONNECT ok.test:${origin.port} HTTP/1.1\r\nHost: x.test\r\n\r\n`);
  await client.until(/^HTTP\/1\.1 200 [^\r]*\r\n\r\n/);
  const secure = connectTls({
    socket: client.socket,
    servername: options.servername ?? "ok.test",
    ca: options.ca ?? (await interception.authorityOf(session)).certificate,
    ALPNProtocols: options.alpn ?? ["h2", "http/1.1"],
  });
  try {
    await new Promise((done, failed) => secure.once("secureConnect", () => done(undefined)).once("error", failed));
    return secure;
  } catch (error) {
    client.socket.destroy();
    throw error;
  }
}

/** Sends text inside of TLS and gives all that comes back until the end. */
async function exchange(text: string, secure?: TLSSocket): Promise<string> {
  const socket = secure ?? (await secureTunnel());
  let answer = "";
  const ended = new Promise((done) => socket.once("end", done).once("close", done));
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1"))).on("error", () => undefined);
  socket.write(text);
  await ended;
  socket.destroy();
  return answer;
}

const host = (): string => `ok.test:${origin.port}`;
const get = (path: string, more = "", method = "GET"): Promise<string> =>
  exchange(`${method} ${path} HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n${more}\r\n`);

describe("a tunnel to a host that is looked into", () => {
  it("ends at the proxy, and each request in it is judged and goes on over verified TLS", async () => {
    const answer = await get("/%70age/./x?q=%70");
    expect([statusOf(answer), answer.endsWith("secure hello")]).toEqual([200, true]);
    expect(p.intents).toEqual([
      {
        kind: "connect",
        host: "ok.test",
        port: origin.port,
        via: "forward",
        method: "GET",
        url: `https://${host()}/page/x?q=%70`,
      },
    ]);
    expect(seen.map(({ line }) => line)).toEqual(["GET /%70age/x?q=%70"]);
    expect(p.lines).toMatchObject([{ entrance: "forward", intercepted: true, verdict: "allow", status: 200 }]);
  });

  it("agrees on HTTP/1.1, and refuses a client that wants HTTP/2 only", async () => {
    const secure = await secureTunnel();
    expect(secure.alpnProtocol).toBe("http/1.1");
    secure.destroy();
    await expect(secureTunnel({ alpn: ["h2"] })).rejects.toThrow();
  });

  it("says so where the server speaks HTTP/2 only", async () => {
    const http2 = createHttp2({ cert: testCertificate, key: testKey, allowHTTP1: false });
    const { promise, resolve } = Promise.withResolvers<void>();
    http2.listen(0, originAddress, resolve);
    await promise;
    const { port } = http2.address() as AddressInfo;
    const authority = { host: { kind: "name", text: "ok.test" }, port } as const;
    await p.close();
    interception = createInterception({ hosts: [authority], credentials: [] });
    p = await openProxyLab({}, undefined, { interception, ca: [testAuthority] });
    p.lab.open(port);
    const client = await connectRaw(p.port);
    client.send(`CONNECT ok.test:${port} HTTP/1.1\r\nHost: x.test\r\n\r\n`);
    await client.until(/^HTTP\/1\.1 200 [^\r]*\r\n\r\n/);
    const { certificate: ca } = await interception.authorityOf(session);
    const secure = connectTls({ socket: client.socket, servername: "ok.test", ca });
    const answer = await exchange(`GET / HTTP/1.1\r\nHost: ok.test:${port}\r\nConnection: close\r\n\r\n`, secure);
    expect([statusOf(answer), /"reason":"(\w+)"/.exec(answer)?.[1]]).toEqual([502, "tls_error"]);
    expect(answer).toContain("the server speaks no HTTP/1.1");
    http2.close();
  });

  it("has an authority of its own in each session", async () => {
    const other = await interception.authorityOf("t" as SessionId);
    await expect(secureTunnel({ ca: other.certificate })).rejects.toThrow(/certificate/);
    await expect(secureTunnel({ port: await p.doorFor("t") })).rejects.toThrow(/certificate/);
    (await secureTunnel({ port: await p.doorFor("t"), ca: other.certificate })).destroy();
    expect(seen).toEqual([]);
  });

  it("is cut where TLS asks for another server", async () => {
    const client = await connectRaw(p.port);
    client.send(`CONNECT ${host()} HTTP/1.1\r\nHost: x.test\r\n\r\n`);
    await client.until(/\r\n\r\n/);
    const secure = connectTls({ socket: client.socket, servername: "other.test", rejectUnauthorized: false });
    await exchange("GET / HTTP/1.1\r\nHost: other.test\r\n\r\n", secure);
    expect(p.lines.map(({ reason }) => reason)).toEqual(["sni_mismatch"]);
    expect([seen, p.intents, p.lab.dns.log]).toEqual([[], [], []]);
  });

  it("answers what is denied inside of it, without a query or a connection", async () => {
    p.lab.denied.add("ok.test");
    const answer = await get("/page");
    expect([statusOf(answer), answer.includes('"rule":"user.1"')]).toEqual([403, true]);
    expect([origin.accepted(), p.lab.dns.log]).toEqual([0, []]);
  });

  it("fails where the server's certificate is not trusted", async () => {
    await p.close();
    p = await openProxyLab({}, undefined, { interception });
    p.lab.open(origin.port);
    const answer = await get("/page");
    expect([statusOf(answer), answer.includes("tls_error")]).toEqual([502, true]);
    expect(seen).toEqual([]);
  });

  it.each([
    ["another host in Host", "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n", "bad_host"],
    ["another port in Host", "GET / HTTP/1.1\r\nHost: ok.test:1\r\n\r\n", "bad_host"],
    ["an absolute address", "GET http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n", "bad_url"],
    ["a tunnel", "CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n", "bad_method"],
    ["a path that leads upwards when it is unescaped", "GET /a/..%2f..%2fb HTTP/1.1\r\nHost: HOST\r\n\r\n", "bad_url"],
    ["the same, escaped twice", "GET /a/%252e%252e%252fb HTTP/1.1\r\nHost: HOST\r\n\r\n", "bad_url"],
    ["two framings", "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", undefined],
    [
      "an unknown coding",
      "POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "bad_framing",
    ],
  ])("refuses %s", async (_what, text, reason) => {
    const answer = await exchange(text.replace("HOST", host()));
    expect(statusOf(answer)).toBeGreaterThanOrEqual(400);
    if (reason !== undefined) expect(answer).toContain(`"reason":"${reason}"`);
    expect(seen).toEqual([]);
  });

  it("judges each request of a kept-alive connection", async () => {
    const secure = await secureTunnel();
    const both = exchange(
      `GET /1 HTTP/1.1\r\nHost: ${host()}\r\n\r\nGET /2 HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`,
      secure,
    );
    expect((await both).match(/secure hello/g)).toHaveLength(2);
    expect(p.intents.map(({ url }) => url)).toEqual(["/1", "/2"].map((path) => `https://${host()}${path}`));
  });

  it("carries a long answer byte for byte, and the next one after it", async () => {
    const long = Buffer.from(Uint16Array.from({ length: 1 << 20 }, (_, at) => Math.imul(at, 40_503)).buffer);
    serve = ({ url }, response) => void response.setHeader("X-Path", url ?? "").end(url === "/long" ? long : "short");
    const both = await exchange(
      `GET /long HTTP/1.1\r\nHost: ${host()}\r\n\r\nGET /next HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`,
    );
    const start = both.indexOf("\r\n\r\n") + 4;
    expect(Buffer.from(both.slice(start, start + long.length), "latin1").equals(long)).toBe(true);
    expect(both.slice(start + long.length)).toMatch(/^HTTP\/1\.1 200 [^]*\r\nX-Path: \/next\r\n[^]*\r\n\r\nshort$/);
  });

  it("carries a long upload byte for byte, unless the placeholder of a credential for another host is in it", async () => {
    await reopen([credential({ authority: { host: { kind: "name", text: "other.test" }, port: 443 } })]);
    const took: string[] = [];
    serve = (request, response) => {
      let body = "";
      request.setEncoding("latin1").on("data", (part: string) => (body += part));
      request
        .on("error", () => undefined)
        .once("end", () => {
          took.push(body);
          response.end("thanks");
        });
    };
    const long = Array.from({ length: 400_000 }, (_, at) => at).join(" ");
    const post = (body: string): Promise<string> =>
      exchange(
        `POST /up HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    expect(await post(long)).toMatch(/^HTTP\/1\.1 200 [^]*thanks$/);
    expect(took.map((body) => body === long)).toEqual([true]);
    await post(`${placeholder} ${long}`);
    expect(took).toHaveLength(1);
    expect(p.lines.map(({ reason }) => reason)).toEqual(["ok", "stray_credential"]);
  });

  it("is not the only place where a long upload with a placeholder is refused: a plain one is, too", async () => {
    await reopen([credential({ authority: { host: { kind: "name", text: "other.test" }, port: 443 } })]);
    let took = 0;
    p.lab.setHandler((request, response) => {
      request
        .on("error", () => undefined)
        .once("end", () => {
          took += 1;
          response.end("thanks");
        });
      request.resume();
    });
    const long = "long ".repeat(400_000);
    const places = [0, 16_000, 40_000, 65_000];
    for (const body of [long, ...places.map((at) => `${long.slice(0, at)}${placeholder}${long}`)]) {
      const client = await connectRaw(p.port);
      const url = p.lab.url("/up");
      client.send(
        `POST ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      await client.closed;
    }
    expect(took).toBe(1);
    expect(p.lines.map(({ reason }) => reason)).toEqual(["ok", ...places.map(() => "stray_credential")]);
  });

  it("is reached over SOCKS, too", async () => {
    const client = await connectRaw(p.port);
    client.send(Uint8Array.of(5, 1, 0));
    await client.until(/^../s);
    const port = Buffer.alloc(2);
    port.writeUInt16BE(origin.port);
    client.send(Buffer.concat([Uint8Array.of(5, 1, 0, 3, 7), Buffer.from("ok.test"), port]));
    await client.until(/^.{12}/s);
    const { certificate: ca } = await interception.authorityOf(session);
    const secure = connectTls({ socket: client.socket, servername: "ok.test", ca });
    const answer = await exchange(`GET /s HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`, secure);
    expect(answer.endsWith("secure hello")).toBe(true);
    expect(p.intents).toMatchObject([{ via: "forward", url: `https://${host()}/s` }]);
  });
});

describe("a credential", () => {
  it("is put into the header of a request for its host, in place of what the client sent there", async () => {
    await reopen([credential()]);
    const answer = await get("/x", `authorization: Bearer ${placeholder}\r\nX-Other: 1\r\n`);
    expect(answer.endsWith("secure hello")).toBe(true);
    expect(seen[0]?.headers.filter((line) => /^authorization/i.test(line))).toEqual([
      `Authorization: Bearer ${secret}`,
    ]);
    expect(seen[0]?.headers).toContain("X-Other: 1");
    expect(JSON.stringify([p.lines, p.outcomes, p.intents])).not.toContain(secret);
    expect([p.lines[0]?.credentials, p.outcomes[0]]).toMatchObject([
      ["TEST_TOKEN"],
      { kind: "done", facts: { credentials: "TEST_TOKEN" } },
    ]);
  });

  it("is put into the query, the other parameters as they were", async () => {
    await reopen([credential({ place: { kind: "query", name: "key" } })]);
    await get(`/x?a=%20&key=${placeholder}&b`);
    expect(seen[0]?.line).toBe(`GET /x?a=%20&b&key=${secret}`);
    expect(p.intents[0]?.url).toBe(`https://${host()}/x?a=%20&key=${placeholder}&b`);
  });

  it("is given back by no header of an answer, nor by its trailer", async () => {
    await reopen([credential()]);
    serve = (request, response) => {
      response.writeHead(302, {
        Location: `https://other.test/?t=${encodeURIComponent(request.headers.authorization ?? "")}`,
        "X-Echo": `you sent ${request.headers.authorization ?? ""}, did you?`,
        "Set-Cookie": [`a=${secret}`, "b=c"],
        Trailer: "X-End",
      });
      response.addTrailers({ "X-End": secret });
      response.end("moved");
    };
    const answer = await get("/x", "");
    expect(answer).not.toContain(secret);
    expect(answer).toContain(`Location: https://other.test/?t=Bearer%20${placeholder}\r\n`);
    expect(answer).toContain(`X-Echo: you sent Bearer ${placeholder}, did you?\r\n`);
    expect(answer).toContain("Set-Cookie: b=c\r\n");
  });

  it("is added by Basic authentication where its template says so", () => {
    const place = { kind: "header", name: "Authorization" } as const;
    const value = renderCredential(place, "Basic {basic:x-access-token}", "T", "a$&b");
    expect(Buffer.from(value.slice(6), "base64").toString()).toBe("x-access-token:a$&b");
  });

  it.each([
    ["a method that is not named", "POST", "/repos/a"],
    ["a path that is not named", "GET", "/other"],
    ["a path that only begins alike", "GET", "/repos"],
  ])("is not added for %s", async (_what, method, path) => {
    await reopen([credential({ methods: ["GET"], paths: ["/repos/*"] })]);
    expect(statusOf(await get(path, "", method))).toBe(200);
    expect(JSON.stringify(seen)).not.toContain(secret);
    expect(statusOf(await get(path, `X-Token: ${placeholder}\r\n`, method))).toBe(403);
    expect(seen).toHaveLength(1);
    expect(statusOf(await get("/%72epos//a"))).toBe(200);
    expect(JSON.stringify(seen)).toContain(secret);
  });

  it.each([
    ["a header", (to: string) => `GET ${to}/ HTTP/1.1\r\nX-A: b${placeholder}c\r\n`, ""],
    [
      "Basic authentication",
      (to: string) =>
        `GET ${to}/ HTTP/1.1\r\nAuthorization: Basic ${Buffer.from(`u:${placeholder}`).toString("base64")}\r\n`,
      "",
    ],
    ["the address", (to: string) => `GET ${to}/?t=${placeholder} HTTP/1.1\r\n`, ""],
    ["the address, escaped", (to: string) => `GET ${to}/?t=%73${placeholder.slice(1)} HTTP/1.1\r\n`, ""],
    ["a body", (to: string) => `POST ${to}/ HTTP/1.1\r\nContent-Length: 4038\r\n`, "x".repeat(4000) + placeholder],
    [
      "an upgrade",
      (to: string) => `GET ${to}/ HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\nX-A: ${placeholder}\r\n`,
      "",
    ],
  ])("keeps its placeholder from another host in %s, on record", async (_where, head, body) => {
    await reopen([credential()]);
    const sent: string[] = [];
    p.lab.setHandler((request, response) => {
      request.on("data", (chunk: Buffer) => sent.push(chunk.toString()));
      request.on("end", () => response.end("got it"));
    });
    const to = `http://ok.test:${p.lab.origin.port}`;
    const answer = await ask(p.port, `${head(to)}Host: ok.test:${p.lab.origin.port}\r\n\r\n${body}`);
    expect([statusOf(answer), answer.includes('"reason":"stray_credential"')]).toEqual([403, true]);
    expect(sent.join("")).not.toContain(placeholder);
    if (body === "") expect(p.lab.origin.accepted()).toBe(0);
    expect(p.outcomes).toMatchObject([{ kind: "failed", facts: { reason: "stray_credential" } }]);
  });

  it.each(["CONNECT", "GET"])("keeps its placeholder from a host's name, in %s, without a query", async (method) => {
    await reopen([credential()]);
    const name = `a.${placeholder}.evil.test`;
    const target = method === "CONNECT" ? `${name}:443` : `http://${name}/`;
    const answer = await ask(p.port, `${method} ${target} HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
    expect([statusOf(answer), answer.includes('"reason":"stray_credential"')]).toEqual([403, true]);
    expect(p.lab.dns.log).toEqual([]);
    expect(p.outcomes).toMatchObject([{ kind: "failed", facts: { reason: "stray_credential" } }]);
  });

  it("goes with a WebSocket over TLS", async () => {
    await reopen([credential()]);
    serve = ({ headers, socket }) => {
      const accepted = headers.authorization === `Bearer ${secret}`;
      socket.write(
        `HTTP/1.1 ${accepted ? 101 : 403} x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello from it`,
      );
      socket.once("data", (chunk: Buffer) => socket.end(`heard ${chunk.toString()}`));
    };
    const secure = await secureTunnel();
    secure.on("data", (chunk: Buffer) => {
      if (chunk.toString().endsWith("hello from it")) secure.write("ping");
    });
    const answer = await exchange(
      `GET /ws HTTP/1.1\r\nHost: ${host()}\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
      secure,
    );
    expect([statusOf(answer), answer.endsWith("heard ping")]).toEqual([101, true]);
  });
});
