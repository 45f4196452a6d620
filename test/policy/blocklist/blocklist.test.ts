import { describe, expect, it } from "vitest";
import { loadBlocklist } from "../../../src/policy/blocklist/blocklist.ts";
import { bashEntries } from "../../../src/policy/blocklist/entries.ts";
import { bash, type BlocklistEntry } from "../../../src/policy/blocklist/entry.ts";
import { componentMatcher, matchesMost } from "../../../src/policy/blocklist/glob-component.ts";

function entry(change: Partial<BlocklistEntry>): BlocklistEntry {
  const base = bashEntries.find(({ id }) => id === "doas");
  if (base === undefined) throw new Error("no such entry");
  return { ...base, ...change };
}

describe("loadBlocklist", () => {
  it("gives one rule for every entry that nothing lifts", () => {
    const { rules } = loadBlocklist();
    expect(rules.length).toBeGreaterThanOrEqual(9);
    for (const rule of rules) {
      expect(rule).toMatchObject({ source: "hardcoded", effect: "deny", exclude: [] });
      expect(rule.because).toMatch(/\w/);
      expect(rule.examples?.hits.length).toBeGreaterThan(0);
    }
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  });

  it.each([
    ["is empty", [], /it is empty/],
    ["has an example that is not hit", [entry({ hits: bash("ls") })], /doas misses "ls"/],
    ["has a counterexample that is hit", [entry({ misses: bash("doas x") })], /doas hits "doas x"/],
    ["has no examples", [entry({ hits: [] })], /doas has no examples/],
    ["has no reason", [entry({ because: "" })], /doas gives no reason/],
    ["names an entry twice", [entry({}), entry({})], /doas is there twice/],
  ])("throws where the list %s", (_name, entries, message) => {
    expect(() => loadBlocklist(entries)).toThrow(message);
  });
});

describe("glob components", () => {
  it.each([
    ["*", "etc", true],
    ["e*", "etc", true],
    ["[a-f]??", "etc", true],
    ["[!a-f]*", "etc", false],
    ["[]e]tc", "etc", true],
    ["\\*", "etc", false],
    ["*t*c", "etc", true],
    ["*x*", "etc", false],
    ["[[:alpha:]]*", "etc", true],
    ["[a-", "[a-", true],
  ])("%s against %s", (pattern, name, expected) => {
    expect(componentMatcher(pattern)(name)).toBe(expected);
  });

  it("takes no more than the product of the lengths", () => {
    expect(componentMatcher("*a".repeat(200) + "b")("a".repeat(250))).toBe(false);
  });

  it.each([
    ["*", true],
    [".*", true],
    ["?*", true],
    [".[!.]*", true],
    ["**", true],
    ["[a-z]*", true],
    ["*.log", false],
    ["x*", false],
    ["?", false],
  ])("%s matches most names: %s", (pattern, expected) => {
    expect(matchesMost(pattern)).toBe(expected);
  });
});
