import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../../src/model/absolute-path.ts";
import type { ReachEffect } from "../../../src/model/effect.ts";
import type { Rule } from "../../../src/model/rule.ts";
import { addressedHosts } from "../../../src/policy/rules/addressed-hosts.ts";
import { checkRule } from "../../../src/policy/rules/check-rule.ts";
import { indexRules, type IndexWorld } from "../../../src/policy/rules/rule-index.ts";

const workspace = parseAbsolutePath("/work");
if (workspace === undefined) throw new Error("no path");
const world: IndexWorld = { home: workspace, workspace, real: (path) => path };

function rule(more: Partial<Rule>): Rule {
  return {
    id: "r",
    source: "user",
    capability: "sandbox_network",
    match: ["api.test"],
    exclude: [],
    effect: "allow",
    ...more,
  };
}

function reach(method: string | undefined, url = "https://api.test/v1/x"): ReachEffect {
  return {
    kind: "reach",
    host: "api.test",
    port: 443,
    capability: "sandbox_network",
    ...(method === undefined ? {} : { method, url }),
  };
}

function speaks(about: Rule, effect: ReachEffect): boolean {
  return indexRules([about], world).find(effect)[about.effect].length > 0;
}

describe("a rule with methods", () => {
  it.each([
    ["allow", ["GET", "HEAD"], "GET", true],
    ["allow", ["GET", "HEAD"], "HEAD", true],
    ["allow", ["GET", "HEAD"], "POST", false],
    ["deny", ["POST"], "POST", true],
    ["deny", ["POST"], "GET", false],
    ["ask", ["DELETE"], "DELETE", true],
    // Some servers take one for the other: a denial must not be missed for it, and an allowance not be stretched.
    ["deny", ["DELETE"], "delete", true],
    ["allow", ["GET"], "get", false],
    // Nobody knows what will be asked: the proxy looks into the tunnel instead.
    ["allow", ["GET"], undefined, false],
    ["deny", ["POST"], undefined, false],
  ] as const)("%s %j speaks about %s: %s", (effect, methods, method, expected) => {
    expect(speaks(rule({ effect, methods }), reach(method))).toBe(expected);
  });

  it("still looks at hosts and paths", () => {
    const about = rule({ methods: ["GET"], match: ["https://api.test/v1/*"], exclude: ["*/secret*"] });
    expect(speaks(about, reach("GET"))).toBe(true);
    expect(speaks(about, reach("GET", "https://api.test/v2/x"))).toBe(false);
    expect(speaks(about, reach("GET", "https://api.test/v1/secret"))).toBe(false);
  });

  it("has its hosts looked into, on every port where it names none", () => {
    const of = (match: string, port: number) =>
      addressedHosts([rule({ methods: ["GET"], match: [match] })]).covers("api.test", port);
    expect([of("api.test", 443), of("api.test", 8443), of("*.test", 80), of("*", 22)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([of("api.test:443", 443), of("api.test:443", 8443), of("other.test", 443)]).toEqual([true, false, false]);
    expect(addressedHosts([rule({})]).none).toBe(true);
    expect(addressedHosts([rule({ capability: "web_fetch", methods: ["GET"] })]).none).toBe(true);
  });

  it.each<[Partial<Rule>, readonly (string | number)[], string]>([
    [{ methods: ["GTE"] }, ["methods", 0], '"GTE" is no method'],
    [{ methods: ["GET", "post"] }, ["methods", 1], "capitals: POST"],
    [{ methods: [""] }, ["methods", 0], "no method"],
    [{ methods: ["CONNECT"] }, ["methods", 0], "no method"],
    [{ methods: ["GET"], capability: "shell" }, ["methods"], "only rules of web_fetch and sandbox_network"],
    [
      { methods: ["GET"], capability: "all", effect: "deny" },
      ["methods"],
      "only rules of web_fetch and sandbox_network",
    ],
    [{ methods: Array.from({ length: 100 }, () => "GET") }, ["methods"], "more methods than there are"],
  ])("is refused with its field: %j", (more, field, reason) => {
    expect(checkRule(rule(more), world)).toEqual([{ field, reason: expect.stringContaining(reason) as string }]);
  });

  it("has examples that name a method", () => {
    const hits = ["GET https://api.test/v1", "GET api.test"];
    const misses = ["POST https://api.test/v1", "https://api.test/v1", "api.test"];
    expect(checkRule(rule({ methods: ["GET"], examples: { hits, misses } }), world)).toEqual([]);
    expect(checkRule(rule({ methods: ["GET"], examples: { hits: misses, misses: hits } }), world)).toHaveLength(5);
  });
});
