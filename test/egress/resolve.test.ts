import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseAddress, type Address } from "../../src/egress/address.ts";
import { internalHost } from "../../src/egress/address-rules.ts";
import { parseAllowRange } from "../../src/egress/allow-range.ts";
import { dial } from "../../src/egress/dial.ts";
import { guard, PinnedTarget } from "../../src/egress/guard.ts";
import { parseHost } from "../../src/egress/host.ts";
import { createResolve } from "../../src/egress/resolve.ts";
import { forgotten } from "./support/corpus.ts";
import type { Zone } from "./support/dns-server.ts";
import { fetchIn, openLab, reasonOf, type Lab } from "./support/lab.ts";
import { originAddress, startRaw } from "./support/servers.ts";

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
});
afterEach(async () => {
  // Whatever a name led to, nobody dialled an address that was not judged good.
  expect(lab.canary.accepted()).toBe(0);
  await lab.close();
});

function addressOf(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(text);
  return address;
}

const publicOnly = [originAddress];
const canary = "127.0.0.1";

/** What the resolver says, and what becomes of a fetch. `done` is a request that was answered. */
const answers: Readonly<Record<string, readonly (readonly [zone: Zone, outcome: string])[]>> = {
  V153: [
    [{ addresses: [originAddress, canary] }, "addr_private"],
    [{ addresses: [canary, originAddress] }, "addr_private"],
    [{ addresses: [originAddress, "::1"] }, "addr_private"],
    [{ addresses: [originAddress, "::ffff:127.0.0.1"] }, "addr_special"],
  ],
  V155: [[{ addresses: publicOnly }, "done"]],
  V158: [
    [{ addresses: publicOnly, code: 2, codeFor: "AAAA" }, "dns_failure"],
    [{ addresses: publicOnly, code: 2, codeFor: "A" }, "dns_failure"],
  ],
  V159: [[{ alias: "inside.test" }, "addr_private"]],
  V161: [
    [{ alias: "name.test" }, "dns_empty"],
    [{ alias: "nowhere.test" }, "dns_empty"],
  ],
  V162: [[{}, "dns_empty"]],
  V163: [[{ code: 3 }, "dns_nxdomain"]],
  V165: [[{ silent: true }, "dns_timeout"]],
  V171: [
    [{ addresses: publicOnly, owner: "stranger.test" }, "done"],
    [{ addresses: [canary], owner: "stranger.test" }, "addr_private"],
  ],
  V172: [
    [{ addresses: publicOnly, ttl: 0 }, "done"],
    [{ addresses: publicOnly, ttl: 0xffffffff }, "done"],
  ],
};

describe("resolver answers, group E", () => {
  it.each(Object.entries(answers))("%s", async (_id, cases) => {
    lab.dns.zones.set("inside.test", { addresses: ["127.0.0.1"] });
    for (const [zone, outcome] of cases) {
      lab.dns.zones.set("name.test", zone);
      expect([zone, await reasonOf(fetchIn(lab, lab.url("/", "name.test")))]).toEqual([zone, outcome]);
    }
  });

  it("V156: takes a name with IPv6 addresses only", async () => {
    lab.dns.zones.set("name.test", { addresses: ["2606:4700::1111"] });
    const target = await guard(parseHost("name.test"), 443, lab.parts, new AbortController().signal);
    expect(PinnedTarget.read(target).addresses.map(({ text }) => text)).toEqual(["2606:4700::1111"]);
  });

  it("V166: a late answer is no answer", async () => {
    // The first query is dropped, and with one try there is no second.
    let queries = 0;
    lab.dns.zones.set("late.test", () => ({ addresses: publicOnly, silent: (queries += 1) <= 2 }));
    expect(await reasonOf(fetchIn(lab, lab.url("/", "late.test")))).toBe("dns_timeout");
    expect(await reasonOf(fetchIn(lab, lab.url("/", "late.test")))).toBe("done");
  });

  it("the deadline and the caller's cancel end a query", async () => {
    lab.dns.zones.set("silent.test", { silent: true });
    const patient = createResolve({ servers: [lab.dns.address], timeoutMs: 60_000, tries: 4 });
    const slow: Lab = { ...lab, parts: { ...lab.parts, resolve: patient } };
    expect(await reasonOf(fetchIn(slow, lab.url("/", "silent.test"), { timeoutMs: 100 }))).toBe("deadline");
    const controller = new AbortController();
    lab.dns.zones.set("silent.test", () => {
      controller.abort();
      return { silent: true };
    });
    const { signal } = controller;
    expect(await reasonOf(fetchIn(slow, lab.url("/", "silent.test"), { signal }))).toBe("cancelled");
  });

  it("V168: every request asks anew, and a rebound name is refused", async () => {
    let asked = 0;
    lab.dns.zones.set("rebind.test", () => ({ addresses: (asked += 1) <= 2 ? publicOnly : [canary] }));
    expect(await reasonOf(fetchIn(lab, lab.url("/", "rebind.test")))).toBe("done");
    expect(await reasonOf(fetchIn(lab, lab.url("/", "rebind.test")))).toBe("addr_private");
    expect(lab.seen).toEqual(["GET /"]);
  });

  it("V169: so does every redirect to the same host", async () => {
    let asked = 0;
    lab.dns.zones.set("rebind.test", () => ({ addresses: (asked += 1) <= 2 ? publicOnly : [canary] }));
    lab.setHandler((_request, response) => void response.writeHead(302, { location: "/next" }).end());
    expect(await reasonOf(fetchIn(lab, lab.url("/", "rebind.test")))).toBe("addr_private");
    expect(lab.seen).toEqual(["GET /"]);
  });

  it("V173: nobody but the DNS is asked, so names of the hosts file mean nothing", async () => {
    const names = readFileSync("/etc/hosts", "utf8")
      .split(/\s+/)
      .filter((word) => /^[a-z][a-z0-9.-]*$/.test(word));
    for (const name of [...names, "plain.test"])
      expect([name, await reasonOf(lab.parts.resolve(name, new AbortController().signal))]).toEqual([
        name,
        "dns_nxdomain",
      ]);
    expect(lab.dns.log).toEqual(expect.arrayContaining(["A plain.test", "AAAA plain.test"]));
  });

  it("V175: where one judged address refuses, the next is taken", async () => {
    const resolve = () => Promise.resolve(["127.0.0.3", originAddress].map((text) => addressOf(text)));
    const allow = [...lab.parts.rules.allow, parseAllowRange(`127.0.0.3/32:${lab.origin.port}`)];
    const two: Lab = { ...lab, parts: { resolve, rules: { ...lab.parts.rules, allow } } };
    const { result } = await fetchIn(two, lab.url("/"));
    expect(result.hops[0]?.address).toBe(`${originAddress}:${lab.origin.port}`);
  });

  it("V178: a denied name sends no query, and neither does a special one or a closed port", async () => {
    lab.denied.add("denied.test");
    lab.dns.zones.set("denied.test", { addresses: publicOnly });
    expect(await reasonOf(fetchIn(lab, lab.url("/", "denied.test")))).toBe("permission_denied");
    for (const url of [
      "http://metadata.google.internal/",
      "http://foo.localhost/",
      "http://db/",
      "http://ok.test:6379/",
    ])
      expect([url, await reasonOf(fetchIn(lab, url))]).toEqual([url, expect.stringMatching(/^(?:host|port)_denied$/)]);
    expect(lab.dns.log).toEqual([]);
  });

  it("V138 (group D): a public name with a private answer is refused", async () => {
    for (const [name, address] of [
      ["127.0.0.1.nip.io", "127.0.0.1"],
      ["10.0.0.1.sslip.io", "10.0.0.1"],
      ["localtest.me", "::1"],
    ] as const) {
      lab.dns.zones.set(name, { addresses: [address] });
      expect([name, await reasonOf(fetchIn(lab, `http://${name}/`))]).toEqual([name, "addr_private"]);
    }
  });

  it("leaves out what needs a black-holed route or a rate", () => {
    const own = { V156: 1, V166: 1, V168: 1, V169: 1, V173: 1, V175: 1, V178: 1 };
    expect(forgotten("E", answers, own)).toEqual(["V176", "V179"]);
  });
});

describe("the guard and the dialler", () => {
  it("refuse too many addresses and none", () => {
    const many = Array.from({ length: 65 }, (_, index) => addressOf(`9.9.9.${index}`));
    expect(() => PinnedTarget.judge(parseHost("a.test"), 443, many, lab.parts.rules)).toThrow("more than 64");
    expect(() => PinnedTarget.judge(parseHost("a.test"), 443, [], lab.parts.rules)).toThrow("no address");
  });

  it("carry a denial that says what is missing and what to do", async () => {
    await expect(fetchIn(lab, "http://10.0.0.1/")).rejects.toMatchObject({
      code: "permission_denied",
      denial: {
        effect: "reach 10.0.0.1:80",
        ruleId: "egress.addr_private",
        source: "hardcoded",
        because: "10.0.0.1 is private use (RFC 1918)",
        missing: "a configured range that opens this address",
      },
    });
  });

  it("dial nothing but a target that the guard made", async () => {
    const options = { signal: new AbortController().signal, timeoutMs: 1000 };
    const posed = Object.create(PinnedTarget.prototype) as PinnedTarget;
    await expect(dial(posed, options)).rejects.toThrow("forged");
    // @ts-expect-error a look-alike does not compile
    await expect(dial({ host: "ok.test", port: lab.origin.port }, options)).rejects.toThrow("forged");
    // @ts-expect-error the constructor is private
    void (() => new PinnedTarget(parseHost("ok.test"), 443, []));
    expect(lab.origin.accepted()).toBe(0);
  });

  it("say that a connection was refused, and keep it apart from a denial", async () => {
    const raw = await startRaw((socket) => socket.destroy());
    lab.open(raw.port);
    await raw.close();
    expect(await reasonOf(fetchIn(lab, `http://ok.test:${raw.port}/`))).toBe("connect_failed");
  });

  it("agree with what analysis is told", () => {
    expect(internalHost("127.0.0.2", lab.origin.port, lab.parts.rules)).toBeUndefined();
    expect(internalHost("127.0.0.1", lab.origin.port, lab.parts.rules)).toBe("127.0.0.1 is loopback (RFC 1122)");
  });
});
