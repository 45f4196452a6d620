import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/model/rule.ts";
import { addressedHosts } from "../../../src/policy/rules/addressed-hosts.ts";

function rule(match: readonly string[], more: Partial<Rule> = {}): Rule {
  return { id: "r", source: "user", capability: "sandbox_network", match, exclude: [], effect: "allow", ...more };
}

function covers(rules: readonly Rule[], host: string, port = 443): boolean {
  return addressedHosts(rules).covers(host, port);
}

describe("hosts of rules with paths", () => {
  it.each([
    ["https://api.test/v1/*", "api.test", 443, true],
    ["https://API.test./v1/*", "api.test", 443, true],
    ["https://api.test:443/v1", "api.test", 443, true],
    ["https://api.test/v1/*", "api.test", 8443, false],
    ["https://api.test:8443/v1/*", "api.test", 8443, true],
    ["https://api.test/v1/*", "evil.test", 443, false],
    ["https://api.test?x=*", "api.test", 443, true],
    ["api.test/v1", "api.test", 443, true],
    ["api.test/v1", "api.test", 80, true],
    ["http://api.test/v1", "api.test", 80, true],
    ["http://api.test/v1", "api.test", 443, false],
    ["https://*.test/v1", "a.b.test", 443, true],
    ["*/admin", "any.test", 443, true],
    ["https://[2001:db8::1]/x", "2001:db8::1", 443, true],
    ["https://bücher.test/x", "xn--bcher-kva.test", 443, true],
    ["api.test", "api.test", 443, false],
    ["api.test:443", "api.test", 443, false],
    ["https://api.test", "api.test", 443, false],
    ["*", "api.test", 443, false],
  ] as const)("%s and %s:%i", (pattern, host, port, expected) => {
    expect(covers([rule([pattern])], host, port)).toBe(expected);
  });

  it("come from every verdict, and from what a rule leaves out", () => {
    expect(covers([rule(["a.test"], { exclude: ["https://a.test/admin*"] })], "a.test")).toBe(true);
    for (const effect of ["ask", "deny"] as const)
      expect(covers([rule(["a.test/x"], { effect })], "a.test")).toBe(true);
  });

  it("come from rules for commands only, and never from a file's path", () => {
    expect(covers([rule(["https://a.test/x"], { capability: "web_fetch" })], "a.test")).toBe(false);
    expect(covers([rule(["https://a.test/x"], { capability: "builtin" })], "a.test")).toBe(true);
    const files = rule(["**/.env", "secrets/**", "/etc/**", "*"], { capability: "all", effect: "deny" });
    expect(addressedHosts([files]).none).toBe(true);
    expect(addressedHosts([]).none).toBe(true);
    expect(addressedHosts([rule(["a.test/x"])]).none).toBe(false);
  });
});
