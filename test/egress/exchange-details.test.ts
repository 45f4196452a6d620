import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { ask, connectRaw, statusOf } from "./support/raw-client.ts";
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

const request = (place: string, method = "GET", more = "Connection: close\r\n"): string =>
  `${method} http://${place}/ HTTP/1.1\r\nHost: ${place}\r\n${more}\r\n`;
const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";

describe("an answer", () => {
  it("keeps what its trailer says of the body, and loses what a trailer may not say", async () => {
    const place = await answering(
      `${chunked}Trailer: X-Sum, Set-Cookie\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: abc\r\nSet-Cookie: a=b\r\nContent_Type: x\r\n\r\n`,
    );
    const answer = await ask(p.port, request(place));
    expect(answer.endsWith("5\r\nhello\r\n0\r\nX-Sum: abc\r\n\r\n")).toBe(true);
    const old = await ask(p.port, request(place).replace("HTTP/1.1", "HTTP/1.0"));
    expect([statusOf(old), old.endsWith("\r\n\r\nhello")]).toEqual([200, true]);
  });

  it("of 204 gives no length, which a client may wait for", async () => {
    const place = await answering("HTTP/1.1 204 No Content\r\nContent-Length: 500\r\nX-A: b\r\n\r\n");
    const answer = await ask(p.port, request(place));
    expect(answer).toMatch(/^HTTP\/1\.1 204 No Content\r\nX-A: b\r\n/);
    expect(answer).not.toMatch(/content-length/i);
  });

  it("loses the extensions of its chunks", async () => {
    const place = await answering(`${chunked}\r\n5;a=b;c="d;e"\r\nhello\r\n1;x\r\n!\r\n0;last\r\n\r\n`);
    const answer = await ask(p.port, request(place));
    expect(answer.replaceAll(/[0-9a-f]+\r\n|\r\n/g, "").endsWith("hello!")).toBe(true);
    expect(answer).not.toContain("a=b");
  });

  it.each([
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1234567\r\n\r\n", /Content-Length: 1234567\r\n/],
    ["HEAD", `${chunked}\r\n`, /200 OK/],
    ["GET", "HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n", /204 No Content/],
    ["GET", 'HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\nETag: "x"\r\n\r\n', /ETag: "x"\r\n/],
    ["GET", "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n", /205 Reset Content/],
  ])("to %s without a body stays one: %j", async (method, said, expected) => {
    const place = await answering(said);
    // On a connection that stays open, the next answer must not be taken for a body.
    const client = await connectRaw(p.port);
    client.send(request(place, method, ""));
    await client.until(/\r\n\r\n/);
    client.send(request(place, method));
    const both = await client.closed;
    expect(both).toMatch(expected);
    expect(both.split("HTTP/1.1 ").length).toBe(3);
    expect(both.endsWith("\r\n\r\n")).toBe(true);
  });

  it("comes after the interim ones that clients heed", async () => {
    const place = await answering(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload; as=style\r\nSet-Cookie: a=b\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: nonsense\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    );
    const answer = await ask(p.port, request(place));
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 102", "HTTP/1.1 103", "HTTP/1.1 200"]);
    expect(answer).toContain("Link: </a.css>; rel=preload; as=style\r\n");
    expect(answer).not.toContain("Set-Cookie");
    expect(statusOf(await ask(p.port, request(place).replace("HTTP/1.1", "HTTP/1.0")))).toBe(200);
  });
});

describe("a server that stands still", () => {
  it("is a matter of time, before its answer and in the middle of it", async () => {
    await p.close();
    p = await openProxyLab({ idleMs: 100 });
    const silent = await ask(p.port, request(await answering(() => undefined)));
    expect([statusOf(silent), /"reason":"(\w+)"/.exec(silent)?.[1]]).toEqual([504, "deadline"]);
    await server?.close();
    const half = await answering((socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"));
    await ask(p.port, request(half));
    expect(p.lines.map(({ reason }) => reason)).toEqual(["deadline", "deadline"]);
  });
});

describe("Expect: 100-continue", () => {
  const put = (place: string): string => request(place, "PUT", "Content-Length: 4\r\nExpect: 100-continue\r\n");

  it("is the server's to answer, and the body comes only then", async () => {
    const place = await answering((socket, first) => {
      expect(first).toMatch(/^PUT \/ HTTP\/1\.1\r\n[^]*Expect: 100-continue\r\n\r\n$/);
      socket.once("data", (body: Buffer) => {
        socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body.toString()}`);
      });
      socket.write("HTTP/1.1 100 Continue\r\n\r\n");
    });
    const client = await connectRaw(p.port);
    client.send(put(place));
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.send("body");
    expect(await client.until(/body$/)).toContain("200 OK");
    client.socket.destroy();
  });

  it("is answered by a refusal without a body, after which the connection is closed", async () => {
    const place = await answering("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
    const client = await connectRaw(p.port);
    client.send(put(place));
    const answer = await client.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*Connection: close\r\n/);
    client.socket.destroy();
  });

  it("does not hold back a client that sends all the same", async () => {
    const place = await answering((socket, first) => {
      let got = first;
      const look = (): void => {
        if (got.endsWith("body")) socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      };
      socket.on("data", (more: Buffer) => {
        got += more.toString("latin1");
        look();
      });
      look();
    });
    const client = await connectRaw(p.port);
    client.send(put(place) + "body");
    expect(statusOf(await client.until(/\r\n\r\n$/))).toBe(200);
    client.socket.destroy();
  });

  it("means nothing without a body", async () => {
    const place = await answering((socket, first) => {
      expect(first).not.toMatch(/expect/i);
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    expect(statusOf(await ask(p.port, request(place, "GET", "Expect: 100-continue\r\nConnection: close\r\n")))).toBe(
      200,
    );
  });
});
