import type { Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFetcher } from "../../src/egress/fetcher.ts";
import { Problem } from "../../src/model/problem.ts";
import { forgotten } from "./support/corpus.ts";
import { admitFetch, fetchIntent, fetchIn, openLab, reasonOf, type FetchChoices, type Lab } from "./support/lab.ts";
import { startHttps, startRaw, type Handler, type Listening } from "./support/servers.ts";

let lab: Lab;
const opened: Listening[] = [];
beforeEach(async () => {
  lab = await openLab();
});
afterEach(async () => {
  expect(lab.canary.accepted()).toBe(0);
  await Promise.all([lab.close(), ...opened.splice(0).map((server) => server.close())]);
});

/** Fetches from an origin that answers like this. */
async function from(handler: Handler, choices: FetchChoices = {}) {
  lab.setHandler(handler);
  return fetchIn(lab, lab.url("/"), choices);
}

/** Fetches from a server that writes these bytes whatever it is asked. */
async function fromRaw(answer: string | ((socket: Socket) => void), choices: FetchChoices = {}) {
  const server = await startRaw((socket) => {
    socket.once("data", () => (typeof answer === "string" ? void socket.end(answer, "latin1") : answer(socket)));
  });
  opened.push(server);
  lab.open(server.port);
  return fetchIn(lab, `http://ok.test:${server.port}/`, choices);
}

const encoded = (coding: string, body: Buffer): Handler => {
  return (_request, response) => void response.writeHead(200, { "content-encoding": coding }).end(body);
};
const zeros = Buffer.alloc(20 << 20);
const refuse = { oversize: "refuse" } as const;
const ok = "HTTP/1.1 200 OK\r\n";

const cases: Readonly<Record<string, () => Promise<void>>> = {
  V213: async () => {
    expect(await reasonOf(from(encoded("gzip", gzipSync(zeros)), refuse))).toBe("too_large");
    const cut = await from(encoded("gzip", gzipSync(zeros)));
    expect([cut.text.length, cut.result.truncated]).toEqual([1 << 20, true]);
    // With room enough it is a bomb all the same.
    expect(await reasonOf(from(encoded("gzip", gzipSync(zeros)), { maxBytes: 1 << 30 }))).toBe("bomb");
  },
  V215: async () => {
    for (const bomb of [deflateSync(zeros), deflateRawSync(zeros)])
      expect(await reasonOf(from(encoded("deflate", bomb), { maxBytes: 1 << 30 }))).toBe("bomb");
    for (const body of [deflateSync("text"), deflateRawSync("text")])
      expect((await from(encoded("deflate", body))).text).toBe("text");
  },
  V216: async () => {
    const { text, result } = await from(encoded("zstd", zstdCompressSync("text")));
    expect([text, result.headers.some(([name]) => name === "content-encoding")]).toEqual(["text", false]);
    expect(await reasonOf(from(encoded("zstd", zstdCompressSync(zeros)), { maxBytes: 1 << 30 }))).toBe("bomb");
    expect(await reasonOf(from(encoded("br", brotliCompressSync(zeros)), { maxBytes: 1 << 30 }))).toBe("bomb");
  },
  V218: async () => {
    for (const coding of ["gzip", "br", "deflate", "zstd"])
      expect([coding, await reasonOf(from(encoded(coding, Buffer.from("plain text, not encoded"))))]).toEqual([
        coding,
        "encoding",
      ]);
  },
  V219: async () => {
    const whole = gzipSync("text".repeat(100));
    expect(await reasonOf(from(encoded("gzip", whole.subarray(0, 25))))).toBe("encoding");
    const two = Buffer.concat([gzipSync("one "), gzipSync("two")]);
    expect((await from(encoded("gzip", two))).text).toBe("one two");
    const padded = Buffer.concat([gzipSync("text"), Buffer.alloc(512)]);
    expect((await from(encoded("gzip", padded))).text).toBe("text");
    const trailed = Buffer.concat([gzipSync("text"), Buffer.from("garbage")]);
    expect(await reasonOf(from(encoded("gzip", trailed)))).toBe("encoding");
  },
  V221: async () => {
    const { status, text } = await from(
      (_request, response) => void response.writeHead(200, { "content-length": 10e9 }).end(),
      { method: "HEAD", ...refuse },
    );
    expect([status, text]).toEqual([200, ""]);
  },
  V222: async () => {
    const huge: Handler = (_request, response) => response.writeHead(200, { "content-length": 10e9 }).flushHeaders();
    expect(await reasonOf(from(huge, refuse))).toBe("too_large");
    const endless: Handler = (_request, response) => {
      response.writeHead(200, { "content-length": 10e9 });
      const more = () => response.write(Buffer.alloc(65_536), () => more());
      more();
    };
    const { text, result } = await from(endless);
    expect([text.length, result.truncated]).toEqual([1 << 20, true]);
  },
  V223: async () =>
    expect(await reasonOf(fromRaw(`${ok}Content-Length: 100\r\n\r\n0123456789`))).toBe("protocol_error"),
  V225: async () =>
    expect(await reasonOf(fromRaw(`${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`))).toBe("protocol_error"),
  V226: async () =>
    expect(
      await reasonOf(fromRaw(`${ok}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`)),
    ).toBe("protocol_error"),
  V228: async () => {
    for (const coding of ["chunked, identity", "identity", "xchunked", "gzip, chunked"])
      expect([coding, await reasonOf(fromRaw(`${ok}Transfer-Encoding: ${coding}\r\n\r\n1\r\na\r\n0\r\n\r\n`))]).toEqual(
        [coding, "protocol_error"],
      );
  },
  V229: async () =>
    expect(await reasonOf(fromRaw(`${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\na\r\n0\r\n\r\n`))).toBe(
      "protocol_error",
    ),
  V231: async () => {
    let closed = Promise.resolve();
    const endless: Handler = (_request, response) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      closed = promise;
      response.once("close", resolve);
      const more = () => response.write(Buffer.alloc(65_536), (error) => (error ? undefined : more()));
      more();
    };
    expect(await reasonOf(from(endless, refuse))).toBe("too_large");
    await closed;
    const { text, result } = await from(endless);
    expect([text.length, result.truncated]).toEqual([1 << 20, true]);
    await closed;
  },
  V232: async () => {
    const drip = (socket: Socket) => {
      socket.write(ok);
      const timer = setInterval(() => socket.write("X-More: header\r\n"), 50);
      socket.once("close", () => clearInterval(timer));
    };
    expect(await reasonOf(fromRaw(drip, { timeoutMs: 500 }))).toBe("deadline");
  },
  V233: async () => expect(await reasonOf(fromRaw(`${ok}X: ${"x".repeat(20_000)}\r\n\r\n`))).toBe("headers_too_large"),
  V235: async () => {
    expect(await reasonOf(fromRaw("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(10_000)))).toBe("protocol_error");
    const hinted = `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${ok}Content-Length: 2\r\n\r\nhi`;
    expect((await fromRaw(hinted)).text).toBe("hi");
  },
  V236: async () => {
    const drip: Handler = (_request, response) => {
      const timer = setInterval(() => response.write("x"), 50);
      response.once("close", () => clearInterval(timer));
    };
    expect(await reasonOf(from(drip, { timeoutMs: 600 }))).toBe("deadline");
  },
  V238: async () => expect(await reasonOf(fromRaw("just a body, no header"))).toBe("protocol_error"),
  V239: async () => expect((await fromRaw("HTTP/1.0 200 OK\r\n\r\nuntil the end")).text).toBe("until the end"),
  V241: async () => {
    for (const header of ["X: a\nY: b\r\n", "X: a\r\n folded\r\n", "X : a\r\n", "X: a\0b\r\n"])
      expect([header, await reasonOf(fromRaw(`${ok}${header}Content-Length: 0\r\n\r\n`))]).toEqual([
        header,
        "protocol_error",
      ]);
  },
  V242: async () => {
    const twice = `${ok}Content-Length: 3\r\n\r\none${ok}Content-Length: 3\r\n\r\ntwo`;
    // The connection is closed with the first answer, so there is nobody for the second.
    expect((await fromRaw(twice)).text).toBe("one");
  },
  V243: async () => {
    const { result } = await fromRaw(`${ok}${"Set-Cookie: a=b\r\n".repeat(500)}Content-Length: 0\r\n\r\n`);
    expect(result.headers.filter(([name]) => name === "Set-Cookie")).toHaveLength(50);
    expect(await reasonOf(fromRaw(`${ok}${"X: y\r\n".repeat(300)}Content-Length: 0\r\n\r\n`))).toBe(
      "headers_too_large",
    );
  },
  V245: async () => {
    const names: string[] = [];
    const server = await startHttps((request, response) => {
      const { socket } = request;
      names.push("servername" in socket ? String(socket.servername) : "", request.headers.host ?? "");
      response.end("secure");
    });
    opened.push(server);
    lab.open(server.port);
    expect((await fetchIn(lab, `https://ok.test.:${server.port}/`)).text).toBe("secure");
    expect(names).toEqual(["ok.test", `ok.test:${server.port}`]);
    expect((await fetchIn(lab, `https://127.0.0.2:${server.port}/`)).text).toBe("secure");
    // The certificate does not name this host.
    lab.dns.zones.set("wrong.test", { addresses: ["127.0.0.2"] });
    expect(await reasonOf(fetchIn(lab, `https://wrong.test:${server.port}/`))).toBe("tls_error");
    expect(await reasonOf(fetchIn(lab, lab.url("/").replace("http:", "https:")))).toBe("tls_error");
  },
  V246: async () => {
    for (const name of [
      "Host",
      "host",
      "HOST",
      "Connection",
      "Proxy-Authorization",
      "Transfer-Encoding",
      "TE",
      "Upgrade",
      "Keep-Alive",
      "Trailer",
      "Content-Length",
      "Expect",
      "Via",
    ]) {
      const work = fetchIn(lab, lab.url("/"), { headers: [[name, "internal.test"]] });
      await expect(work, name).rejects.toMatchObject({ code: "invalid_argument", field: "headers" });
    }
    expect([lab.origin.accepted(), lab.dns.log]).toEqual([0, []]);
  },
  V248: async () => {
    for (const field of [
      ["X", "a\r\nHost: b"],
      ["X", "a\0"],
      ["X\r\n", "a"],
      ["X Y", "a"],
      ["", "a"],
      ["X", "\u4e2d"],
    ] as const) {
      const work = fetchIn(lab, lab.url("/"), { headers: [field] });
      await expect(work, JSON.stringify(field)).rejects.toMatchObject({ code: "invalid_argument", field: "headers" });
    }
    expect(lab.origin.accepted()).toBe(0);
  },
  V249: async () => {
    for (const method of ["CONNECT", "TRACE", "trace", "GET / HTTP/1.1\r\n", "", "GE T"])
      await expect(fetchIn(lab, lab.url("/"), { method }), method).rejects.toMatchObject({
        code: "invalid_argument",
        field: "method",
      });
    expect(lab.origin.accepted()).toBe(0);
  },
  V251: async () => {
    const controller = new AbortController();
    const closed = Promise.withResolvers<void>();
    const stalls: Handler = (_request, response) => {
      response.once("close", closed.resolve);
      response.writeHead(200).flushHeaders();
      controller.abort();
    };
    expect(await reasonOf(from(stalls, { signal: controller.signal }))).toBe("cancelled");
    await closed.promise;
  },
};

describe("fetch, group G", () => {
  it.each(Object.entries(cases))("%s", (_id, run) => run());

  it("leaves no case out", () => {
    expect(forgotten("G", cases)).toEqual([]);
  });
});

describe("a fetch", () => {
  it("tells the caller what happened on the way", async () => {
    lab.setHandler((request, response) => void response.setHeader("X-Answer", "1").end(`${request.method ?? ""} ok`));
    const { status, text, result } = await fetchIn(lab, lab.url("/a?b#c"), { method: "OPTIONS" });
    expect([status, text, result.finalUrl, result.truncated]).toEqual([200, "OPTIONS ok", lab.url("/a?b#c"), false]);
    expect(result.hops).toMatchObject([{ url: lab.url("/a?b"), address: `127.0.0.2:${lab.origin.port}`, status: 200 }]);
    expect(result.headers).toContainEqual(["X-Answer", "1"]);
  });

  it("sends a body and the caller's headers, and Host as judged", async () => {
    const got = Promise.withResolvers<string[]>();
    lab.setHandler((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        got.resolve([...request.rawHeaders, Buffer.concat(parts).toString()]);
        response.end();
      });
    });
    await fetchIn(lab, lab.url("/"), { method: "POST", body: Buffer.from("text"), headers: [["X-Mine", "1"]] });
    const lines = await got.promise;
    expect(lines.at(-1)).toBe("text");
    expect(lines).toEqual(expect.arrayContaining(["X-Mine", "1", `ok.test:${lab.origin.port}`, "4"]));
  });

  it("hands out a body of an unknown coding as it came, and refuses three layers", async () => {
    const { text, result } = await from(encoded("compress", Buffer.from("raw")));
    expect([text, result.headers]).toEqual(["raw", expect.arrayContaining([["content-encoding", "compress"]])]);
    const twice = gzipSync(brotliCompressSync("deep"));
    expect((await from(encoded("br, gzip", twice))).text).toBe("deep");
    expect(await reasonOf(from(encoded("br, gzip, gzip", twice)))).toBe("encoding");
  });

  it("streams: the first bytes come while the server still writes", async () => {
    const finish = Promise.withResolvers<void>();
    lab.setHandler((_request, response) => {
      response.write("first");
      void finish.promise.then(() => response.end(" last"));
    });
    const intent = fetchIntent(lab.url("/"), { maxBytes: 100, timeoutMs: 20_000 });
    const fetcher = createFetcher(lab.parts);
    const result = await fetcher.fetch(
      admitFetch(lab, intent),
      () => Promise.reject(new Error("no redirect here")),
      new AbortController().signal,
    );
    const seen: string[] = [];
    for await (const chunk of result.body) {
      seen.push(Buffer.from(chunk).toString());
      finish.resolve();
    }
    expect(seen.join("")).toBe("first last");
    expect(seen[0]).toBe("first");
  });

  it.each(["is read", "is never read"])("closes its connection where an answer came whole and %s", async (how) => {
    const ended = Promise.withResolvers<void>();
    const server = await startRaw((socket) => {
      socket.once("end", ended.resolve).once("close", ended.resolve);
      socket.once("data", () =>
        socket.write(`${ok}Connection: keep-alive\r\nKeep-Alive: timeout=600\r\nContent-Length: 4\r\n\r\ntext`),
      );
    });
    opened.push(server);
    lab.open(server.port);
    const url = `http://ok.test:${server.port}/`;
    if (how === "is read") expect((await fetchIn(lab, url)).text).toBe("text");
    else {
      const intent = fetchIntent(url, { maxBytes: 100, timeoutMs: 3_600_000 });
      const caller = new AbortController();
      await createFetcher(lab.parts).fetch(
        admitFetch(lab, intent),
        () => Promise.reject(new Error("no redirect here")),
        caller.signal,
      );
      await ended.promise;
      caller.abort();
    }
    await ended.promise;
    expect(server.accepted()).toBe(1);
  });

  it("closes its connection where the reader stops early or never starts", async () => {
    for (const stop of ["break", "close"] as const) {
      const closed = Promise.withResolvers<void>();
      lab.setHandler((_request, response) => {
        response.once("close", closed.resolve);
        response.write("first");
      });
      const intent = fetchIntent(lab.url("/"), { maxBytes: 100, timeoutMs: 20_000 });
      const result = await createFetcher(lab.parts).fetch(
        admitFetch(lab, intent),
        () => Promise.reject(new Error("no redirect here")),
        new AbortController().signal,
      );
      if (stop === "close") await result.close();
      else for await (const chunk of result.body) if (chunk.length > 0) break;
      await closed.promise;
    }
  });

  it("goes nowhere but to what was judged, though the permit be wrong", async () => {
    const intent = fetchIntent(lab.url("/"), { maxBytes: 1, timeoutMs: 1000 });
    const other = admitFetch(lab, { ...intent, url: lab.url("/", "other.test") });
    const fetcher = createFetcher(lab.parts);
    const hops = () => Promise.resolve(other);
    lab.setHandler((_request, response) => void response.writeHead(302, { location: "/next" }).end());
    await expect(fetcher.fetch(admitFetch(lab, intent), hops, new AbortController().signal)).rejects.toThrow(Problem);
    expect(lab.seen).toEqual(["GET /"]);
  });
});

describe("a server that stands still", () => {
  it("is left before the deadline, in the header and in the body", async () => {
    const silent: Handler = () => undefined;
    expect(await reasonOf(from(silent, { headerTimeoutMs: 300 }))).toBe("deadline");
    const stalls: Handler = (_request, response) => void response.write("a part");
    expect(await reasonOf(from(stalls, { idleTimeoutMs: 300 }))).toBe("deadline");
  });
});

describe("a body in chunks", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

  it("is refused where it is lost in their extensions", async () => {
    const flood = (socket: Socket): void => {
      socket.write(head);
      const chunk = `1;${"a".repeat(65_536)}\r\nx\r\n`;
      const more = (): void => {
        if (socket.writable && !socket.destroyed) socket.write(chunk, () => setImmediate(more));
      };
      more();
    };
    expect(await reasonOf(fromRaw(flood))).toBe("protocol_error");
  });

  it("may come byte by byte", async () => {
    const bytes = 50_000;
    expect((await fromRaw(`${head}${"1;a=b\r\nx\r\n".repeat(bytes)}0\r\n\r\n`)).text).toBe("x".repeat(bytes));
  });
});
