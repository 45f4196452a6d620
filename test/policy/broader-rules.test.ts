import { describe, expect, it } from "vitest";
import type { Rule } from "../../src/model/rule.ts";
import { broaderRules } from "../../src/policy/broader-rules.ts";

const rules = (capability: Rule["capability"], ...matches: readonly string[]): readonly Rule[] =>
  matches.map((match, at) => ({
    id: `user.${at}`,
    source: "user",
    capability,
    match: [match],
    exclude: [],
    effect: "allow",
  }));

const proposed = (all: readonly Rule[]): readonly string[] => broaderRules(all).map(({ draft }) => draft.match);

describe("a broader rule", () => {
  it.each<[Rule["capability"], readonly string[], string]>([
    ["shell", ["eslint a.ts", "eslint b.ts", "eslint --fix c.ts"], "eslint *"],
    ["shell", ["npm install left-pad", "npm install react", "npm install -D vite"], "npm install *"],
    ["shell", ["git push origin a", "git push origin b", "git push origin c"], "git push *"],
    ["fs_read", ["/home/u/notes/may/a.md", "/home/u/notes/may/b.md", "/home/u/notes/may/c.md"], "/home/u/notes/may"],
    ["fs_write", ["/data/x/y/out/1", "/data/x/y/out/2", "/data/x/y/out/3"], "/data/x/y/out"],
    ["web_fetch", ["a.docs.example.com", "b.docs.example.com", "c.docs.example.com"], "*.docs.example.com"],
    ["web_fetch", ["a.example.com:8443", "b.example.com:8443", "c.example.com:8443"], "*.example.com:8443"],
  ])("of %s stands for %j", (capability, matches, expected) => {
    expect(proposed(rules(capability, ...matches))).toEqual([expected]);
    expect(broaderRules(rules(capability, ...matches))[0]?.replaces).toHaveLength(3);
    expect(proposed(rules(capability, ...matches.slice(1)))).toEqual([]);
  });

  it.each<[Rule["capability"], readonly string[]]>([
    ["shell", ["rm a", "rm b", "rm c"]],
    ["shell", ["sh a.sh", "sh b.sh", "sh c.sh"]],
    ["shell", ["python3.12 a", "python3.12 b", "python3.12 c"]],
    ["shell", ["npm a", "npm b", "npm c"]],
    ["shell", ["npm exec a", "npm exec b", "npm exec c"]],
    ["shell", ["npx a", "npx b", "npx c"]],
    ["shell", ["env A=1 x", "env A=2 x", "env A=3 x"]],
    ["shell", ["/tmp/x a", "/tmp/x b", "/tmp/x c"]],
    ["shell", ["'my tool' a", "'my tool' b", "'my tool' c"]],
    ["shell", ["ls *", "cat *", "wc *"]],
    ["fs_read", ["/home/u/a", "/home/u/b", "/home/u/c"]],
    ["fs_read", ["/var/home/u/a", "/var/home/u/b", "/var/home/u/c"]],
    ["fs_read", ["a/b/c/d/e", "a/b/c/d/f", "a/b/c/d/g"]],
    ["web_fetch", ["a.com", "b.com", "c.com"]],
    ["web_fetch", ["a.co.uk", "b.co.uk", "c.co.uk"]],
    ["web_fetch", ["10.0.0.1", "10.0.0.2", "10.0.0.3"]],
    ["mcp", ["server/a", "server/b", "server/c"]],
  ])("of %s is never made of %j", (capability, matches) => {
    expect(proposed(rules(capability, ...matches))).toEqual([]);
  });

  it("leaves out what denies, asks or has exceptions, and puts the one for most first", () => {
    const some = rules("shell", "eslint a", "eslint b", "eslint c");
    expect(broaderRules(some.map((rule) => ({ ...rule, effect: "deny" })))).toEqual([]);
    expect(broaderRules(some.map((rule) => ({ ...rule, exclude: ["eslint x"] })))).toEqual([]);
    const more = rules("shell", "tsc a", "tsc b", "tsc c", "tsc d");
    expect(proposed([...some, ...more])).toEqual(["tsc *", "eslint *"]);
  });
});
