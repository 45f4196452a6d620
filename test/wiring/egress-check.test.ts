import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createEgressCheck } from "../../src/wiring/egress-check.ts";
import { type DnsServer, startDns } from "../egress/support/dns-server.ts";
import { vectors } from "../egress/support/corpus.ts";

let dns: DnsServer;
beforeEach(async () => {
  dns = await startDns();
});
afterEach(() => dns.close());

const offline = createEgressCheck({ allow: [], resolver: undefined });

describe("a target that was typed", () => {
  it.each([
    ["example.com", { host: "example.com", kind: "name", port: 443, verdict: "allow", reason: "ok", resolved: false }],
    ["EXAMPLE.com.:80", { host: "example.com", port: 80, verdict: "allow" }],
    ["8.8.8.8", { host: "8.8.8.8", kind: "address", addresses: ["8.8.8.8"], verdict: "allow", resolved: true }],
    ["10.0.0.1", { verdict: "deny", reason: "addr_private" }],
    ["[::1]:443", { host: "::1", verdict: "deny", reason: "addr_private" }],
    ["::127.0.0.1", { host: "::7f00:1", verdict: "deny", reason: "addr_special" }],
    ["2606:4700:4700::1111", { host: "2606:4700:4700::1111", port: 443, verdict: "allow" }],
    ["2130706433", { host: "127.0.0.1", verdict: "deny", reason: "addr_private" }],
    ["http://0x7f.1/a", { host: "127.0.0.1", url: "http://127.0.0.1/a", port: 80, verdict: "deny" }],
    ["https://bücher.example/", { host: "xn--bcher-kva.example", verdict: "allow" }],
    ["bücher.example", { host: "xn--bcher-kva.example", verdict: "allow" }],
    ["169.254.169.254", { verdict: "deny", reason: "addr_metadata" }],
    ["metadata.google.internal", { verdict: "deny", reason: "host_denied" }],
    ["localhost:3000", { host: "localhost", port: 3000, verdict: "deny", reason: "host_denied" }],
    ["ok.test:22", { verdict: "deny", reason: "port_denied" }],
    ["ok.test:443@127.0.0.1:80", { verdict: "deny", reason: "bad_host" }],
    ["ok.test:443abc", { verdict: "deny", reason: "bad_port" }],
    ["ok.test:0", { verdict: "deny", reason: "bad_port" }],
    ["ok.test:", { verdict: "deny", reason: "bad_port" }],
    ["http://user@ok.test/", { verdict: "deny", reason: "bad_url" }],
    ["data:text/html,x", { verdict: "deny", reason: "bad_scheme" }],
    ["file:///etc/passwd", { verdict: "deny", reason: "bad_scheme" }],
    ["fe80::1%lo", { verdict: "deny", reason: "bad_host" }],
    ["evil\0.ok.test", { verdict: "deny", reason: "bad_host" }],
    ["", { verdict: "deny", reason: "bad_host" }],
  ])("%j", async (target, expected) => {
    expect(await offline.target(target)).toMatchObject({ target, ...expected });
  });

  it("is judged as every connection is: each single address of the corpus", async () => {
    let seen = 0;
    for (const { input, expected } of [...vectors("A"), ...vectors("B")])
      for (const target of input.split(" / ").filter((text) => /^[\d.]+$|^[\da-f:]+$/.test(text))) {
        seen += 1;
        const verdict = expected.startsWith("ALLOW") ? "allow" : "deny";
        expect(await offline.target(target), target).toMatchObject({ verdict });
      }
    expect(seen).toBeGreaterThan(50);
  });
});

describe("with a resolver", () => {
  const check = () => createEgressCheck({ allow: [], resolver: dns.address });

  it("judges every answer", async () => {
    dns.zones.set("ok.test", { addresses: ["8.8.8.8", "2606:4700:4700::1111"] });
    dns.zones.set("mixed.test", { addresses: ["8.8.8.8", "10.0.0.1"] });
    expect(await check().target("ok.test")).toMatchObject({
      verdict: "allow",
      resolved: true,
      addresses: ["8.8.8.8", "2606:4700:4700::1111"],
    });
    expect(await check().target("https://mixed.test/x")).toMatchObject({
      verdict: "deny",
      reason: "addr_private",
      addresses: ["8.8.8.8", "10.0.0.1"],
    });
    expect(await check().target("missing.test")).toMatchObject({ verdict: "deny", reason: "dns_nxdomain" });
  });

  it("asks nothing about a name that is refused already", async () => {
    const rules = [{ capability: "sandbox_network", effect: "deny", match: "*.evil.test" }];
    const line = JSON.stringify({ target: "a.evil.test", rules });
    expect(await check().line(line, 1)).toMatchObject({ verdict: "deny", reason: "rule" });
    expect(await check().target("foo.localhost")).toMatchObject({ verdict: "deny", resolved: false });
    expect(await check().target("ok.test:25")).toMatchObject({ verdict: "deny", reason: "port_denied" });
    expect(dns.log).toEqual([]);
  });
});

describe("a line of a batch", () => {
  it.each(["target", "url", "host", "address", "input"])("names its target by %s", async (key) => {
    expect(await offline.line(JSON.stringify({ id: 7, [key]: "127.0.0.1" }), 1)).toMatchObject({
      id: 7,
      target: "127.0.0.1",
      verdict: "deny",
    });
  });

  it("may be a text alone", async () => {
    expect(await offline.line('"https://example.com/"', 1)).toMatchObject({ url: "https://example.com/" });
  });

  it("opens its own ranges, but never a metadata service", async () => {
    const line = (target: string, ...allow: string[]): Promise<object> =>
      offline.line(JSON.stringify({ target, allow }), 1);
    expect(await line("10.1.2.3:8443", "10.0.0.0/8:8443")).toMatchObject({ verdict: "allow" });
    expect(await line("10.1.2.3:8444", "10.0.0.0/8:8443")).toMatchObject({ verdict: "deny" });
    expect(await line("169.254.169.254:80", "169.254.0.0/16")).toMatchObject({ reason: "addr_metadata" });
  });

  it.each([
    [
      "https://api.example.com/x",
      [{ capability: "web_fetch", effect: "allow", match: "https://api.example.com/*" }],
      "allow",
      "ok",
    ],
    [
      "https://other.example.com/x",
      [{ capability: "web_fetch", effect: "allow", match: "https://api.example.com/*" }],
      "ask",
      "no_rule",
    ],
    [
      "notexample.com:443",
      [{ capability: "sandbox_network", effect: "allow", match: "*.example.com:443" }],
      "ask",
      "no_rule",
    ],
    ["10.0.0.1:443", [{ capability: "sandbox_network", effect: "allow", match: "*" }], "deny", "addr_private"],
  ])("is judged by its rules: %s", async (target, rules, verdict, reason) => {
    expect(await offline.line(JSON.stringify({ target, rules }), 1)).toMatchObject({ verdict, reason });
  });

  it("is judged by its method", async () => {
    const rules = [{ capability: "web_fetch", effect: "allow", match: "https://api.example.com/*", methods: "GET" }];
    const line = { target: "https://api.example.com/x", rules };
    expect(await offline.line(JSON.stringify(line), 1)).toMatchObject({ verdict: "allow", reason: "ok" });
    expect(await offline.line(JSON.stringify({ ...line, method: "POST" }), 1)).toMatchObject({ verdict: "ask" });
  });

  it.each(["TRACE", "CONNECT", "Track", "G T", ""])(
    "refuses what fetch and proxy refuse: the method %j",
    async (method) => {
      const judged = (target: string) => offline.line(JSON.stringify({ target, method }), 1);
      expect(await judged("https://example.com/")).toMatchObject({ verdict: "deny", reason: "bad_method" });
      expect(await judged("http://127.0.0.1:0/")).toMatchObject({ verdict: "deny", reason: "bad_port" });
      // Nobody sends it to a host alone: that is asked for by CONNECT.
      expect(await judged("example.com:443")).toMatchObject({ verdict: "allow" });
    },
  );

  it("judges a private address that a range opens by the rules alone", async () => {
    const rules = [{ capability: "sandbox_network", effect: "allow", match: "10.0.0.1:8080" }];
    const line = { target: "10.0.0.1:8080", allow: ["10.0.0.0/8:8080"], rules };
    expect(await offline.line(JSON.stringify(line), 1)).toMatchObject({ verdict: "allow", reason: "ok" });
  });

  it.each([
    ["{", ""],
    ['{"target":"a.test","host":"b.test"}', ""],
    ['{"target":"a.test","alow":[]}', "alow"],
    ['{"target":"a.test","allow":["0.0.0.0/0"]}', "allow"],
    ['{"target":1}', "target"],
  ])("that is wrong is answered with its field: %s", async (text, field) => {
    expect(await offline.line(text, 3)).toMatchObject({ line: 3, field, error: expect.any(String) as string });
  });
});
