import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesComponent, parseComponent } from "../../../src/policy/rules/component.ts";
import { parsePathPattern } from "../../../src/policy/rules/path-pattern.ts";
import { judge, path, rule, shell } from "../world.ts";

const matches = (pattern: string, name: string) => matchesComponent(parseComponent(pattern), name);

describe("bracket expressions", () => {
  it.each([
    ["[[:alpha:]]k", "lk", true],
    ["[[:alpha:]]k", "1k", false],
    ["[![:alpha:]]k", "1k", true],
    ["[![:alpha:]]k", "lk", false],
    ["[[:digit:]x-z]", "y", true],
    ["[[:alpha:]]", "é", true],
    ["[^[:alpha:]]", "é", true],
    ["[[.l.]]k", "lk", true],
    ["[[=l=]]k", "lk", true],
    ["[[.space.]]", " ", true],
    ["[[:unknown:]]", "x", true],
    [String.raw`[^!-\]]k`, "lk", true],
    [String.raw`[a-\c]k`, "bk", true],
    ["[]l]k", "lk", true],
    ["[[.a.]-c]", "b", true],
    ["[[:alpha:]", "[[:alpha:]", true],
    ["[[:alpha:", "[[:alpha:", true],
  ])("%s stands for %s: %s", (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected);
  });

  it("are refused in a rule where they depend on the locale", () => {
    for (const match of ["/work/[[=l=]]k", "/work/[[.l.]]k"])
      expect(() => parsePathPattern(match, { home: path("/home/u"), workspace: undefined })).toThrow(/locale/);
    expect(parsePathPattern("/work/[.]env", { home: path("/home/u"), workspace: undefined })).not.toEqual([]);
  });

  it.each(["[[:alpha:]]k", "[[.l.]]k", "[[=l=]]k", String.raw`[^!-\]]k`])(
    "make no denied file out of reach of its rule: cat %s",
    (word) => {
      const rules = [rule({ capability: "fs_read", effect: "deny", match: ["/work/lk"] })];
      expect(judge(shell(`cat ${word}`), { rules }).settlement.kind).toBe("deny");
    },
  );

  it("stand for everything that bash takes them for", () => {
    const piece = fc.oneof(
      fc.constantFrom("a", "b", "k", "]", "-", "!", "^", "[", ".", ":", "=", "\\]", "\\-", "1", "é"),
      fc.constantFrom("[:alpha:]", "[:digit:]", "[:punct:]", "[.a.]", "[=b=]", "[.-.]", "a-k", "!-\\]", "[:nope:]"),
    );
    const cases = fc.sample(fc.array(piece, { minLength: 1, maxLength: 5 }), { numRuns: 1500, seed: 7 });
    const patterns = cases.map((parts) => `[${parts.join("")}]`);
    const names = ["a", "b", "k", "]", "-", "1", "!", "[", "\\", "é", "a]", "k]"];
    const script = String.raw`mapfile -t p < <(printf '%s\n' "$1"); mapfile -t n < <(printf '%s\n' "$2")
for pattern in "\${p[@]}"; do for name in "\${n[@]}"; do [[ $name == $pattern ]] && printf 1 || printf 0; done; done`;
    const ran = spawnSync(
      "bash",
      ["--noprofile", "--norc", "-c", script.replaceAll("\\$", "$"), "bash", patterns.join("\n"), names.join("\n")],
      { encoding: "utf8", env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" } },
    );
    expect(ran.stdout).toHaveLength(patterns.length * names.length);
    const missed = Array.from(ran.stdout).flatMap((bit, at) => {
      const pattern = patterns[Math.floor(at / names.length)] ?? "";
      const name = names[at % names.length] ?? "";
      return bit === "1" && !matches(pattern, name) ? [`${pattern} ${name}`] : [];
    });
    expect(missed).toEqual([]);
  });
});
