import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { connectRaw, statusOf } from "./support/raw-client.ts";
import { startAnswering } from "./support/start-answering.ts";

/** What the origin took of a body, and of how many requests. */
let taken: { readonly path: string; readonly length: number; readonly hash: string }[];
let p: ProxyLab;
beforeEach(async () => {
  p = await openProxyLab();
  taken = [];
  p.lab.setHandler((request, response) => take(request, () => response.end("thanks")));
});
afterEach(async () => {
  await p.close();
});

const digest = (data: Uint8Array): string => createHash("sha256").update(data).digest("hex");
/** Bytes that are nowhere alike, so that a piece that is lost, doubled or moved shows. */
const long = Buffer.from(Uint32Array.from({ length: 1 << 20 }, (_, at) => Math.imul(at, 2_654_435_761)).buffer);
const whole = (path: string) => ({ path, length: long.length, hash: digest(long) });

function take(request: IncomingMessage, answer: () => void): void {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part)).on("error", () => undefined);
  request.once("end", () => {
    const body = Buffer.concat(parts);
    taken.push({ path: request.url ?? "", length: body.length, hash: digest(body) });
    answer();
  });
}

const head = (path: string, more = "", length = long.length): string =>
  `POST ${p.lab.url(path)} HTTP/1.1\r\nHost: ok.test:${p.lab.origin.port}\r\nContent-Length: ${length}\r\n${more}\r\n`;

describe("a long upload of known length", () => {
  it.each([
    ["with its head", Number.POSITIVE_INFINITY],
    ["in pieces of no even size", 70_001],
  ])("arrives byte for byte, sent %s", async (_name, size) => {
    const client = await connectRaw(p.port);
    const all = Buffer.concat([Buffer.from(head("/a")), long]);
    for (let at = 0; at < all.length; at += size) client.send(all.subarray(at, at + size));
    const answer = await client.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n[^]*thanks/);
    expect(taken).toEqual([whole("/a")]);
    expect(p.outcomes).toMatchObject([{ kind: "done", facts: { status: 200 } }]);
  });

  it("arrives where the client waits for leave to send it", async () => {
    const client = await connectRaw(p.port);
    client.send(head("/a", "Expect: 100-continue\r\n"));
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.send(long);
    expect(await client.closed).toContain("thanks");
    expect(taken).toEqual([whole("/a")]);
  });

  it("ends where it was said to: what follows it is no request, and no part of it", async () => {
    const client = await connectRaw(p.port);
    client.send(Buffer.concat([Buffer.from(head("/a")), long, Buffer.from(head("/b", "", 2)), Buffer.from("hi")]));
    const answer = await client.closed;
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(taken).toEqual([whole("/a")]);
    expect(p.intents).toHaveLength(1);
  });

  it("follows other requests on their connection, whose answers come before its own", async () => {
    const client = await connectRaw(p.port);
    const short = head("/short", "", 5);
    client.send(Buffer.concat([Buffer.from(`${short}first`), Buffer.from(head("/a")), long]));
    const answer = await client.closed;
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
    expect(answer.match(/\r\nConnection: close\r\n/g)).toHaveLength(1);
    expect(taken.find(({ path }) => path === "/a")).toEqual(whole("/a"));
  });

  it("that breaks off is never whole for the server", async () => {
    const broken = Promise.withResolvers<void>();
    p.lab.setHandler((request) => {
      take(request, () => undefined);
      request.once("close", () => broken.resolve());
    });
    const client = await connectRaw(p.port);
    client.send(Buffer.concat([Buffer.from(head("/a")), long.subarray(0, long.length - 1)]));
    client.socket.end();
    await broken.promise;
    expect(await client.closed).not.toContain("200");
    expect(taken).toEqual([]);
    expect(p.outcomes.map(({ kind }) => kind)).toEqual(["abandoned"]);
  });

  it("may be answered before it is over, and the answer comes whole", async () => {
    const server = await startAnswering(p.lab, (socket) => {
      socket.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo much");
      socket.resume();
    });
    const client = await connectRaw(p.port);
    client.send(
      `POST http://${server.place}/ HTTP/1.1\r\nHost: ${server.place}\r\nContent-Length: ${10 * long.length}\r\n\r\n`,
    );
    client.send(long);
    const answer = await client.closed;
    await server.close();
    expect([statusOf(answer), answer.endsWith("too much")]).toEqual([413, true]);
    expect(p.lines.map(({ reason }) => reason)).toEqual(["ok"]);
  });

  it("is cut in its middle when it is revoked, or the server goes", async () => {
    const began = [Promise.withResolvers<IncomingMessage>(), Promise.withResolvers<IncomingMessage>()];
    let turn = 0;
    p.lab.setHandler((request) => {
      take(request, () => undefined);
      request.once("data", () => began[turn]?.resolve(request));
    });
    for (const cut of [p.revoke, (request: IncomingMessage) => void request.socket.resetAndDestroy()]) {
      const client = await connectRaw(p.port);
      client.send(Buffer.concat([Buffer.from(head("/a", "", 10 * long.length)), long]));
      const request = await began[turn]?.promise;
      if (request === undefined) throw new Error("nothing began");
      cut(request);
      expect(await client.closed).not.toContain("HTTP/1.1 200");
      turn += 1;
    }
    expect(taken).toEqual([]);
  });

  it("waits for a server that does not read", async () => {
    const began = Promise.withResolvers<IncomingMessage>();
    p.lab.setHandler((request, response) => {
      began.resolve(request);
      request.pause();
      request.once("resume", () => take(request, () => response.end("thanks")));
    });
    const client = await connectRaw(p.port);
    const times = 16;
    client.send(head("/a", "", times * long.length));
    let left = times;
    const stuck = Promise.withResolvers<void>();
    const more = (): void => {
      for (; left > 0; left -= 1)
        if (!client.socket.write(long)) {
          left -= 1;
          break;
        }
      if (left > 0) client.socket.once("drain", more);
      stuck.resolve();
    };
    more();
    const request = await began.promise;
    await stuck.promise;
    request.resume();
    expect(await client.closed).toContain("thanks");
    expect(taken.map(({ length }) => length)).toEqual([times * long.length]);
  });
});
