import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { connectRaw } from "./support/raw-client.ts";
import type { Listening } from "./support/servers.ts";
import { type Answer, startAnswering } from "./support/start-answering.ts";

let p: ProxyLab;
let server: Listening | undefined;
beforeEach(async () => {
  p = await openProxyLab();
});
afterEach(async () => {
  await Promise.all([p.close(), server?.close()]);
  server = undefined;
});

async function answering(answer: Answer): Promise<string> {
  const started = await startAnswering(p.lab, answer);
  server = started;
  return started.place;
}

const request = (place: string, path: string, more = ""): string =>
  `GET http://${place}${path} HTTP/1.1\r\nHost: ${place}\r\n${more}\r\n`;
const headFor = (length: number): string => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;
const digest = (data: Uint8Array | string): string => createHash("sha256").update(data).digest("hex");
/** Bytes that are nowhere alike, so that a piece that is lost, doubled or moved shows. */
const long = Buffer.from(Uint32Array.from({ length: 1 << 20 }, (_, at) => Math.imul(at, 2_654_435_761)).buffer);

/** What follows the head of the only answer in it, as Latin-1. */
const bodyOf = (answer: string): string => answer.slice(answer.indexOf("\r\n\r\n") + 4);

describe("a long body of known length", () => {
  it.each([
    ["with its head", (socket: Socket) => socket.end(Buffer.concat([Buffer.from(headFor(long.length)), long]))],
    [
      "after its head",
      (socket: Socket) => {
        socket.write(headFor(long.length), () => socket.end(long));
      },
    ],
    [
      "in pieces of no even size",
      (socket: Socket) => {
        socket.write(headFor(long.length));
        for (let at = 0; at < long.length; at += 70_001) socket.write(long.subarray(at, at + 70_001));
        socket.end();
      },
    ],
  ])("arrives byte for byte, sent %s", async (_name, send) => {
    const place = await answering(send);
    const client = await connectRaw(p.port);
    client.send(request(place, "/", "Connection: close\r\n"));
    const body = Buffer.from(bodyOf(await client.closed), "latin1");
    expect([body.length, digest(body)]).toEqual([long.length, digest(long)]);
    expect(p.outcomes).toMatchObject([{ kind: "done", facts: { status: 200 } }]);
  });

  it("ends where it was said to: what the server sends after it is no answer to the next request", async () => {
    const place = await answering((socket, first) => {
      if (first.startsWith("GET /second")) socket.end(`${headFor(4)}real`);
      else socket.end(Buffer.concat([Buffer.from(headFor(long.length)), long, Buffer.from(`${headFor(4)}fake`)]));
    });
    const client = await connectRaw(p.port);
    client.send(request(place, "/first") + request(place, "/second", "Connection: close\r\n"));
    const both = await client.closed;
    expect(both.endsWith("\r\n\r\nreal")).toBe(true);
    expect(both).not.toContain("fake");
    expect(digest(Buffer.from(bodyOf(both).slice(0, long.length), "latin1"))).toBe(digest(long));
  });

  it("that breaks off is a broken answer, for the client and in the record", async () => {
    const place = await answering((socket) => {
      socket.write(headFor(long.length));
      socket.end(long.subarray(0, long.length - 1));
    });
    const client = await connectRaw(p.port);
    client.send(request(place, "/"));
    expect(bodyOf(await client.closed).length).toBeLessThan(long.length);
    expect(p.lines.map(({ reason }) => reason)).toEqual(["protocol_error"]);
    expect(p.outcomes.map(({ kind }) => kind)).toEqual(["failed"]);
  });

  it("waits for a client that does not read, and is cut in its middle when it is revoked", async () => {
    const sent = Promise.withResolvers<void>();
    const all = 64;
    const place = await answering((socket) => {
      socket.write(headFor(all * long.length));
      let left = all;
      const more = (): void => {
        for (; left > 0; left -= 1) if (!socket.write(long)) break;
        sent.resolve();
        if (left > 0) socket.once("drain", more);
      };
      more();
    });
    const client = await connectRaw(p.port);
    client.socket.pause();
    client.send(request(place, "/"));
    await sent.promise;
    p.revoke();
    client.socket.resume();
    expect(bodyOf(await client.closed).length).toBeLessThan(all * long.length);
  });

  it("that stands still is a matter of time", async () => {
    await p.close();
    p = await openProxyLab({ idleMs: 500 });
    const place = await answering((socket) => {
      socket.write(headFor(long.length));
      socket.write(long.subarray(0, 300_000));
    });
    const client = await connectRaw(p.port);
    client.send(request(place, "/"));
    await client.closed;
    expect(p.lines.map(({ reason }) => reason)).toEqual(["deadline"]);
  });
});
