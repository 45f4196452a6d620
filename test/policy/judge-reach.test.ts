import { describe, expect, it } from "vitest";
import { intents, judge, rule, shell } from "./world.ts";

describe("fetch and connect", () => {
  it("asks for a host that no rule allows, and hands on the canonical address", () => {
    const found = judge(intents.fetch("https://EXAMPLE.test.:443/a?b#c"));
    expect(found.settlement.kind).toBe("ask");
    expect(found.action).toMatchObject({ host: "example.test", port: 443, url: "https://example.test/a?b" });
  });

  it.each([
    "example.test",
    "https://example.test/*",
    "*.test",
    "example.test:443",
    "https://example.test*",
    "*",
    "example.test/docs/*",
  ])("allows by the pattern %s", (match) => {
    const rules = [rule({ capability: "web_fetch", effect: "allow", match: [match] })];
    expect(judge(intents.fetch("https://example.test/docs/x"), { rules }).settlement.kind).toBe("allow");
  });

  it.each([
    ["https://example.test*", "https://example.test.evil.test/"],
    ["https://*.example.test/*", "https://evil.test/x.example.test/"],
    ["*.example.test/*", "https://evil.test/?.example.test/"],
    ["https://example.test/*", "http://example.test/"],
    ["example.test:443", "http://example.test/"],
    ["example.test", "https://sub.example.test/"],
  ])("does not allow by the pattern %s the address %s", (match, url) => {
    const rules = [rule({ capability: "web_fetch", effect: "allow", match: [match] })];
    expect(judge(intents.fetch(url), { rules }).settlement.kind).toBe("ask");
  });

  it("looks at the method, and at the one that a header asks for", () => {
    const rules = [
      rule({ capability: "web_fetch", effect: "allow", match: ["*"] }),
      rule({ capability: "web_fetch", effect: "deny", match: ["api.test"], methods: ["DELETE"] }),
    ];
    const settled = (method: string, headers: readonly (readonly [string, string])[] = []) =>
      judge({ ...intents.fetch("https://api.test/x", method), headers }, { rules }).settlement.kind;
    expect([settled("GET"), settled("DELETE"), settled("delete")]).toEqual(["allow", "deny", "deny"]);
    expect(settled("POST", [["X-HTTP-Method-Override", "delete"]])).toBe("deny");
    expect(settled("POST", [["x_method_override", " DELETE "]])).toBe("deny");
    expect(settled("POST", [["X-HTTP-Method", "PATCH"]])).toBe("allow");
  });

  it("lets a deny rule win over every allow", () => {
    const rules = [
      rule({ capability: "web_fetch", effect: "allow", match: ["*"] }),
      rule({ capability: "web_fetch", effect: "deny", match: ["*.evil.test", "evil.test"] }),
    ];
    expect(
      judge(intents.fetch("https://a.evil.test/"), { rules, subject: { mode: "allow-all" } }).settlement.kind,
    ).toBe("deny");
  });

  it.each([
    ["EVIL.test", "https://evil.test/"],
    ["evil.test.", "https://evil.test/"],
    ["HTTPS://Evil.Test:443/*", "https://evil.test/x"],
    ["bücher.test", "https://xn--bcher-kva.test/"],
    ["*.BÜCHER.test", "https://a.bücher.test/"],
    ["https://evil.test/admin/*", "https://evil.test/%61dmin/x"],
    ["https://evil.test/admin/*", "https://evil.test//admin/x"],
    ["https://evil.test/a/b/*", "https://evil.test/a%2F%2Fb//x?y=//z"],
    ["evil.test/admin*", "https://evil.test/a/../%2561/../adm%69n"],
    ["https://evil.test/a?b", "https://evil.test/%61?b"],
    ["https://evil.test/admin/*", "https://evil.test/admin;v=1/x"],
    ["https://evil.test/admin*", "https://evil.test/%EF%BD%81dmin"],
    ["https://evil.test/admin*", "https://evil.test/%EF%BC%8Fadmin"],
    ["https://evil.test/admin*", "https://evil.test/%u0061dmin"],
    ["https://evil.test/admin*", "https://evil.test/%u002fadmin"],
    ["https://evil.test/admin*", "https://evil.test/%u005Cadmin"],
    ["https://evil.test/admin*", "https://evil.test/%uff41dm%2569n"],
    ["https://evil.test/a/admin/*", "https://evil.test/a%5cadmin%5cx"],
    ["https://evil.test/admin/*", "https://evil.test/%252561dmin%3bv/x"],
    ["evil.test/admin/*", "https://evil.test/;a/admin;b/x"],
  ])("denies by the pattern %s the address %s, however it is spelled", (match, url) => {
    const rules = [
      rule({ capability: "web_fetch", effect: "deny", match: [match] }),
      rule({ capability: "all", effect: "allow", match: ["*"] }),
    ];
    expect(judge(intents.fetch(url), { rules }).settlement.kind).toBe("deny");
  });

  it.each(["http://127.0.0.1/", "http://0x7f.1/", "http://2130706433/", "http://localhost./x"])(
    "denies %s by the address guard in every mode",
    (url) => {
      const rules = [rule({ capability: "all", effect: "allow", match: ["*"] })];
      const found = judge(intents.fetch(url), { rules, subject: { mode: "allow-all" } });
      expect(found.settlement.kind).toBe("deny");
      expect(found.decision.findings[0]?.rules[0]?.id).toBe("invariant.address");
    },
  );

  it.each([
    ["ftp://example.test/", "url"],
    ["nothing", "url"],
    ["https://u:p@example.test/", "url"],
    ["https://example.test:0/", "url"],
    ["http://exa_mple..test/", "url"],
  ])("refuses the address %s and names the field", (url, field) => {
    expect(() => judge(intents.fetch(url))).toThrow(expect.objectContaining({ code: "invalid_argument", field }));
  });

  it("judges the proxy's connections as sandbox_network, apart from web_fetch", () => {
    const rules = [rule({ capability: "web_fetch", effect: "allow", match: ["*"] })];
    expect(judge(intents.connect("registry.test."), { rules }).settlement.kind).toBe("ask");
    const network = [rule({ capability: "sandbox_network", effect: "allow", match: ["registry.test"] })];
    const found = judge(intents.connect("Registry.test."), { rules: network });
    expect(found.settlement.kind).toBe("allow");
    expect(found.action.host).toBe("registry.test");
    expect(() => judge(intents.connect("a\0b"))).toThrow(expect.objectContaining({ field: "host" }));
  });

  it("lets a command start that may ask for something of a host, and judges each of its requests", () => {
    const settled = (text: string, ...more: Parameters<typeof rule>[0][]) =>
      judge(shell(text), {
        rules: [rule({ capability: "shell", effect: "allow", match: ["curl *"] }), ...more.map((each) => rule(each))],
      }).settlement.kind;
    const net = { capability: "sandbox_network", effect: "allow" } as const;
    expect(settled("curl https://api.test/v1/x")).toBe("ask");
    expect(settled("curl https://api.test/v1/x", { ...net, match: ["https://api.test/v1/*"] })).toBe("allow");
    expect(settled("curl https://api.test/v1/x", { ...net, match: ["api.test"], methods: ["GET"] })).toBe("allow");
    expect(settled("curl https://api.test:8443/", { ...net, match: ["https://api.test/v1/*"] })).toBe("ask");
    expect(settled("curl https://evil.test/", { ...net, match: ["https://api.test/v1/*"] })).toBe("ask");
    expect(settled("curl $HOST", { ...net, match: ["*/v1/*"] })).toBe("ask");
    const both = { ...net, match: ["https://api.test/v1/*"], exclude: ["api.test"] };
    expect(settled("curl https://api.test/v1/x", both)).toBe("ask");
    const denied = { capability: "sandbox_network", effect: "deny", match: ["api.test"] } as const;
    expect(settled("curl https://api.test/v1/x", { ...net, match: ["https://api.test/v1/*"] }, denied)).toBe("deny");
    // The connection itself is no promise: a tunnel that nobody looks into stays a question.
    const rules = [
      rule({ ...net, match: ["https://api.test/v1/*"] }),
      rule({ ...net, match: ["b.test"], methods: ["GET"] }),
    ];
    expect(judge(intents.connect("api.test"), { rules }).settlement.kind).toBe("ask");
    expect(judge(intents.connect("b.test"), { rules }).settlement.kind).toBe("ask");
  });

  it("matches uses by name", () => {
    const rules = [rule({ capability: "mcp", effect: "allow", match: ["my-server/*"] })];
    expect(judge(intents.use("mcp", "my-server/read"), { rules }).settlement.kind).toBe("allow");
    expect(judge(intents.use("mcp", "other/read"), { rules }).settlement.kind).toBe("ask");
    for (const capability of ["shell", "fs_read", "web_fetch"] as const)
      expect(() => judge({ kind: "use", capability, name: "x" })).toThrow(
        expect.objectContaining({ field: "capability" }),
      );
  });
});
