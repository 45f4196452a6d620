import { connect } from "node:net";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { listenOnHttp } from "../../src/server/web/listen-on-http.ts";
import { offeredToPage } from "../../src/server/web/offered.ts";
import { keptLog } from "../server/open-server.ts";
import { openWeb, ownHeaders, send, visit } from "./support/open-web.ts";

const list = "/api/sallyport.v1.ApprovalsService/List";

describe("who may come in", () => {
  it("is nobody without a visit", async () => {
    const { host } = await openWeb();
    expect((await send(host, list, ownHeaders(host))).status).toBe(401);
    expect((await send(host, list, await visit(host))).status).toBe(200);
  });

  it.each([
    ["another name that was made to point here", { host: "evil.example" }, 421],
    ["another port", { host: "127.0.0.1:1" }, 421],
    ["no port", { host: "127.0.0.1" }, 421],
    ["another origin", { origin: "http://evil.example" }, 403],
    ["another port of this host", { origin: "http://127.0.0.1:1" }, 403],
    ["no site at all", { origin: "null" }, 403],
    ["TLS that is none", { origin: "https://HOST" }, 403],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["another port as browsers say it", { "sec-fetch-site": "same-site" }, 403],
    ["a form", { "content-type": "text/plain" }, 415],
    ["another form", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["a file form", { "content-type": "multipart/form-data; boundary=x" }, 415],
  ])("is not %s, whatever secrets it has", async (_name, wrong: Record<string, string>, status) => {
    const { host } = await openWeb();
    const headers = { ...(await visit(host)), ...wrong };
    if (wrong["origin"]?.includes("HOST") === true) headers["origin"] = `https://${host}`;
    for (const path of [list, "/login", "/logout"]) expect(await send(host, path, headers)).toMatchObject({ status });
  });

  it("is told why a port cannot be had", async () => {
    const { web } = await openWeb();
    const listen = { host: "127.0.0.1", port: web.port, exposed: false, names: [] };
    await expect(openWeb({ listen })).rejects.toThrow(
      `cannot serve the page on 127.0.0.1:${web.port}: another program has this address`,
    );
  });

  it("is not a POST without an Origin", async () => {
    const { host } = await openWeb();
    const { origin: _origin, ...headers } = await visit(host);
    expect((await send(host, list, headers)).status).toBe(403);
  });

  it("is not two hosts, nor a method that nobody needs", async () => {
    const { host } = await openWeb();
    expect((await raw(host, `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: evil\r\n\r\n`)).status).toBe(421);
    expect((await raw(host, `GET / HTTP/1.1\r\n\r\n`)).status).toBe(400);
    for (const method of ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
      expect((await send(host, "/", ownHeaders(host), { method })).status).toBe(405);
  });

  it("writes nothing into the log by going away in the middle of a request", async () => {
    const { log, lines } = keptLog("warn");
    const { host } = await openWeb({ log });
    const secrets = await visit(host);
    const [name = "", port = ""] = host.split(":");
    for (const path of ["/login", "/visit", list])
      for (const headers of [ownHeaders(host), secrets]) {
        const socket = connect(Number(port), name);
        await once(socket, "connect");
        const fields = Object.entries({ ...headers, "content-length": "900" }).map(
          ([key, value]) => `${key}: ${value}\r\n`,
        );
        socket.write(`POST ${path} HTTP/1.1\r\n${fields.join("")}\r\n{`);
        // Answered or not, its body is under way now.
        await send(host, "/visit", secrets);
        socket.destroy();
        await once(socket, "close");
      }
    for (let turn = 0; turn < 100; turn += 1) await setImmediate();
    expect((await send(host, "/visit", secrets)).status).toBe(200);
    expect(lines).toEqual([]);
  });

  it("may come by any name of this machine, and by a link from elsewhere to the page alone", async () => {
    const { web, host } = await openWeb();
    const headers = ownHeaders(`localhost:${web.port}`);
    expect((await send(host, "/visit", headers)).status).toBe(401);
    const from = { host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect((await send(host, "/nothing", from, { method: "GET" })).status).toBe(404);
    const frame = { ...from, "sec-fetch-dest": "iframe" };
    expect((await send(host, "/", frame, { method: "GET" })).status).toBe(403);
    const script = { ...from, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" };
    expect((await send(host, "/", script, { method: "GET" })).status).toBe(403);
  });
});

describe("what is there", () => {
  it("is what the page needs and nothing else", async () => {
    const { host } = await openWeb();
    const headers = await visit(host);
    for (const path of [
      "ExecService/Run",
      "ExecService/RunToEnd",
      "FilesService/Read",
      "FetchService/Fetch",
      "AgentsService/CreateToken",
      "SessionsService/Open",
    ])
      expect((await send(host, `/api/sallyport.v1.${path}`, headers)).status).toBe(404);
    const names = [...offeredToPage].map(({ parent, name }) => `${parent.typeName}.${name}`);
    expect(names.filter((name) => /Files|Fetch|CreateToken|\.Run|Open$/.test(name))).toEqual([]);
  });

  it("is answered as over gRPC, faults with their details", async () => {
    const { host } = await openWeb();
    const headers = await visit(host);
    const bad = await send(host, "/api/sallyport.v1.ApprovalsService/Answer", headers, {
      body: '{"questionId":"not an id","answer":1}',
    });
    expect(bad.status).toBe(400);
    expect(JSON.parse(bad.text)).toMatchObject({
      code: "invalid_argument",
      details: [{ type: "sallyport.v1.FieldViolation" }],
    });
  });

  it("takes no body that is too large or packed", async () => {
    const { host } = await openWeb();
    const headers = await visit(host);
    const large = await send(host, list, headers, { body: JSON.stringify({ x: "y".repeat(2 * 1024 * 1024) }) });
    expect(large.text).toContain("resource_exhausted");
    const packed = await send(host, list, { ...headers, "content-encoding": "gzip" });
    expect(packed.text).toContain("unimplemented");
  });

  it("takes no headers that are too long", async () => {
    const { host } = await openWeb();
    const headers = await visit(host);
    const long = await send(host, list, { ...headers, "x-long": "x".repeat(20_000) }).catch(() => ({ status: 0 }));
    expect([0, 431]).toContain(long.status);
  });

  it("is served with the strictest headers", async () => {
    const { host } = await openWeb();
    const page = await send(host, "/", { host }, { method: "GET" });
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/<style|style=|<script(?![^>]* src="\/)|\son\w+=|https?:/);
    const policy = String(page.headers["content-security-policy"]);
    for (const part of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "base-uri 'none'",
    ])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(page.headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-cache",
    });
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.text)?.[1] ?? "";
    const asset = await send(host, script, { host }, { method: "GET" });
    expect(asset).toMatchObject({ status: 200, headers: { "content-type": "text/javascript; charset=utf-8" } });
    const again = await send(host, script, { host, "if-none-match": String(asset.headers["etag"]) }, { method: "GET" });
    expect(again.status).toBe(304);
    for (const path of ["/../package.json", "/assets/..%2f..%2findex.html", "/%00", "//evil"])
      expect((await send(host, path, { host }, { method: "GET" })).status).toBe(404);
  });
});

describe("where it listens", () => {
  const answer = (): void => {};
  it("is this machine, unless TLS is set and it is said to be exposed", async () => {
    const tls = { certFile: "/none", keyFile: "/none" };
    for (const listen of [
      { host: "0.0.0.0", port: 0, exposed: true, names: [] },
      { host: "0.0.0.0", port: 0, exposed: false, names: [], tls },
      { host: "example.com", port: 0, exposed: false, names: [] },
    ])
      await expect(listenOnHttp(listen, answer)).rejects.toThrow("refusing to serve the page");
    await expect(listenOnHttp({ host: "0.0.0.0", port: 0, exposed: true, names: [], tls }, answer)).rejects.toThrow(
      "no usable certificate",
    );
  });
});

/** Sends bytes as they are; the status of the first answer. */
async function raw(host: string, text: string): Promise<{ status: number }> {
  const [name, port] = host.split(":");
  const socket = connect({ host: name ?? "", port: Number(port) });
  socket.on("error", () => {});
  socket.end(text);
  let answer = "";
  socket.on("data", (part: Buffer) => (answer += part.toString()));
  await once(socket, "close");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 400) };
}
