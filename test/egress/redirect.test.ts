import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { forgotten } from "./support/corpus.ts";
import { fetchIn, openLab, reasonOf, type Fetched, type Lab } from "./support/lab.ts";
import { startHttps, startRaw, type Listening } from "./support/servers.ts";

interface Seen {
  readonly method: string;
  readonly host: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let lab: Lab;
let tls: Listening;
const seen: Seen[] = [];
/** Where each path leads: status and Location; without an entry it answers 200. */
const routes = new Map<string, readonly [status: number, location?: string]>();

function handle(request: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const { method = "", url = "", headers } = request;
    const host = headers.host ?? "";
    seen.push({ method, host, url, headers, body: Buffer.concat(parts).toString() });
    const [status, location] = routes.get(`${host.split(":")[0] ?? ""}${url}`) ?? routes.get(url) ?? [200];
    response.writeHead(status, location === undefined ? {} : { location }).end("body");
  });
}

beforeEach(async () => {
  lab = await openLab();
  lab.setHandler(handle);
  tls = await startHttps(handle);
  lab.open(tls.port);
  seen.length = 0;
  routes.clear();
});
afterEach(async () => {
  expect(lab.canary.accepted()).toBe(0);
  await Promise.all([lab.close(), tls.close()]);
});

const go = (path = "/start", choices: Parameters<typeof fetchIn>[2] = {}): Promise<Fetched> =>
  fetchIn(lab, lab.url(path), choices);
const last = () => seen.at(-1);
const body = Buffer.from("the body");

/** A chain of this many redirects from `/0`. */
function chain(length: number): void {
  for (let hop = 0; hop < length; hop += 1) routes.set(`/${hop}`, [302, `/${hop + 1}`]);
}

const cases: Readonly<Record<string, () => Promise<void>>> = {
  V181: async () => {
    chain(5);
    const { status, result } = await go("/0");
    expect([status, seen.length, result.hops.length, result.finalUrl]).toEqual([200, 6, 6, lab.url("/5")]);
    expect(result.hops.map((hop) => hop.status)).toEqual([302, 302, 302, 302, 302, 200]);
  },
  V182: async () => {
    chain(6);
    expect([await reasonOf(go("/0")), seen.length]).toEqual(["redirect_limit", 6]);
  },
  V183: async () => {
    routes.set("/a", [302, "/a"]).set("/b", [302, "/c"]).set("/c", [302, "/b"]);
    expect([await reasonOf(go("/a")), await reasonOf(go("/b")), seen.length]).toEqual([
      "redirect_limit",
      "redirect_limit",
      12,
    ]);
  },
  V185: async () => {
    for (const target of ["http://169.254.169.254/", "http://[::ffff:a9fe:a9fe]/", "http://2852039166/"]) {
      routes.set("/start", [302, target]);
      expect([target, await reasonOf(go())]).toEqual([target, expect.stringMatching(/^addr_/)]);
    }
  },
  V186: async () => {
    lab.dns.zones.set("inside.test", { addresses: ["127.0.0.1"] });
    routes.set("/start", [302, lab.url("/", "inside.test")]);
    expect(await reasonOf(go())).toBe("addr_private");
  },
  V188: async () => {
    routes.set("/start", [302, lab.url("/plain")]);
    expect(await reasonOf(fetchIn(lab, `https://ok.test:${tls.port}/start`))).toBe("downgrade");
    expect(seen).toHaveLength(1);
  },
  V189: async () => {
    routes.set("/start", [301, `https://ok.test:${tls.port}/secure`]);
    const { status } = await go("/start", {
      headers: [
        ["Authorization", "Bearer x"],
        ["Accept", "text/plain"],
      ],
    });
    expect([status, last()?.url, last()?.headers.authorization, last()?.headers.accept]).toEqual([
      200,
      "/secure",
      undefined,
      "text/plain",
    ]);
  },
  V191: async () => {
    routes.set("/start", [302, lab.url("/other", "other.test")]);
    const secrets = ["X-Api-Key", "X-Auth-Token", "X-Goog-Api-Key", "Cookie", "Authorization", "X-Anything"];
    await go("/start", { headers: secrets.map((name) => [name, "secret"] as const) });
    expect(seen.map(({ headers }) => JSON.stringify(headers).includes("secret"))).toEqual([true, false]);
  },
  V192: async () => {
    routes.set("/start", [302, "/next"]);
    await go("/start", { headers: [["Authorization", "Bearer x"]] });
    expect([last()?.url, last()?.headers.authorization]).toEqual(["/next", "Bearer x"]);
  },
  V193: async () => {
    routes.set("ok.test/start", [302, lab.url("/b", "other.test")]).set("other.test/b", [302, lab.url("/back")]);
    await go("/start", { headers: [["Authorization", "Bearer x"]] });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer x", undefined, undefined]);
  },
  V195: async () => {
    for (const status of [301, 302]) {
      routes.set("/start", [status, "/next"]);
      await go("/start", { method: "PUT", body });
      expect([last()?.url, last()?.method, last()?.body]).toEqual(["/next", "PUT", "the body"]);
    }
  },
  V196: async () => {
    for (const status of [301, 302, 303]) {
      routes.set("/start", [status, "/next"]);
      await go("/start", { method: "POST", body, headers: [["Content-Type", "text/plain"]] });
      expect([last()?.method, last()?.body, last()?.headers["content-type"]]).toEqual(["GET", "", undefined]);
    }
    routes.set("/start", [303, "/next"]);
    await go("/start", { method: "HEAD" });
    expect(last()?.method).toBe("HEAD");
  },
  V198: async () => {
    for (const status of [307, 308]) {
      routes.set("/start", [status, "/next"]);
      await go("/start", { method: "POST", body, headers: [["Content-Type", "text/plain"]] });
      expect([last()?.method, last()?.body, last()?.headers["content-type"]]).toEqual([
        "POST",
        "the body",
        "text/plain",
      ]);
    }
  },
  V199: async () => {
    routes.set("/start", [307, lab.url("/other", "other.test")]);
    expect([await reasonOf(go("/start", { method: "POST", body })), seen.length]).toEqual(["redirect_body", 1]);
  },
  V201: async () => {
    routes.set("/start", [302]);
    expect([(await go()).status, seen.length]).toEqual([302, 1]);
  },
  V202: async () => {
    const raw = await startRaw((socket) =>
      socket.end("HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"),
    );
    lab.open(raw.port);
    expect([await reasonOf(fetchIn(lab, `http://ok.test:${raw.port}/`)), raw.accepted()]).toEqual([
      "protocol_error",
      1,
    ]);
    await raw.close();
  },
  V203: async () => {
    for (const [location, url] of [
      ["/p", "/p"],
      ["?q", "/dir/start?q"],
      ["../x", "/x"],
      [`//other.test:${lab.origin.port}/x`, "/x"],
      ["http:foo", "/dir/foo"],
      ["/caf\u00c3\u00a9", "/caf%C3%A9"],
    ] as const) {
      routes.set("/dir/start", [302, location]);
      await go("/dir/start");
      expect([location, last()?.url]).toEqual([location, url]);
    }
    expect(seen.filter(({ host }) => host.startsWith("other.test"))).toHaveLength(1);
  },
  V205: async () => {
    routes.set("/keeps", [302, "/end"]).set("/has", [302, "/end#theirs"]);
    expect((await fetchIn(lab, lab.url("/keeps#mine"))).result.finalUrl).toBe(lab.url("/end#mine"));
    expect((await fetchIn(lab, lab.url("/has#mine"))).result.finalUrl).toBe(lab.url("/end#theirs"));
    expect(seen.some(({ url }) => url.includes("#"))).toBe(false);
  },
  V206: async () => {
    routes.set("/start", [302, `http://u:p@ok.test:${lab.origin.port}/`]);
    expect([await reasonOf(go()), seen.length]).toEqual(["redirect_target", 1]);
  },
  V208: async () => {
    routes.set("/start", [302, `HTTP://OK.TEST.:0${lab.origin.port}/next`]);
    await go("/start", { headers: [["Authorization", "Bearer x"]] });
    expect([last()?.url, last()?.headers.authorization]).toEqual(["/next", "Bearer x"]);
  },
  V209: async () => {
    lab.setHandler((_request, response) => {
      response.setHeader("Refresh", "0; url=/elsewhere");
      response.setHeader("Link", "</elsewhere>; rel=canonical");
      response.end('<meta http-equiv="refresh" content="0; url=/elsewhere">');
    });
    expect([(await go()).status, lab.seen]).toEqual([200, ["GET /start"]]);
  },
  V211: async () => {
    routes.set("/0", [302, "/1"]).set("/1", [302, "/2"]);
    // The third hop never answers: the one clock over all hops ends it.
    lab.setHandler((request, response) => (request.url === "/2" ? undefined : handle(request, response)));
    expect([await reasonOf(go("/0", { timeoutMs: 1500 })), lab.seen]).toEqual([
      "deadline",
      ["GET /0", "GET /1", "GET /2"],
    ]);
  },
  V212: async () => {
    lab.denied.add("other.test");
    routes.set("/start", [302, lab.url("/", "other.test")]);
    expect([await reasonOf(go()), lab.dns.log.some((line) => line.includes("other"))]).toEqual([
      "permission_denied",
      false,
    ]);
  },
};

describe("redirects, group F", () => {
  it.each(Object.entries(cases))("%s", (_id, run) => run());

  it("leaves no case out", () => {
    expect(forgotten("F", cases)).toEqual([]);
  });

  it("follow nothing but http and https", async () => {
    for (const target of ["file:///etc/passwd", "gopher://127.0.0.1/", "data:,hi", "ftp://ok.test/", "javascript:1"]) {
      routes.set("/start", [302, target]);
      expect([target, await reasonOf(go())]).toEqual([target, "redirect_target"]);
    }
    expect(seen).toHaveLength(5);
  });
});
