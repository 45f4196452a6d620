import * as fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { matchesName, parseNameGlob } from "../../../src/files/globs/name-glob.ts";
import { parseSearchGlob } from "../../../src/files/globs/search-glob.ts";

function names(glob: string, name: string): boolean | undefined {
  const parsed = parseNameGlob(glob);
  return parsed === undefined ? undefined : matchesName(parsed, name);
}

function finds(glob: string, path: string): boolean {
  return parseSearchGlob(glob).matches(path.split("/"));
}

describe("a glob for one name", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", ".ts", true],
    ["*.ts", "a.tsx", false],
    ["a?c", "aäc", true],
    ["a?c", "a😀c", true],
    ["a?c", "a\udcffc", true],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[]a]", "]", true],
    ["[a-]", "-", true],
    [String.raw`[\]]`, "]", true],
    ["[[:digit:]x]", "7", true],
    ["[[:digit:]x]", "a", false],
    [String.raw`\*`, "*", true],
    [String.raw`\*`, "a", false],
    ["", "", true],
    ["**", "anything", true],
    ["a*b*c", "aXbYbZc", true],
    ["a*b*c", "aXbYbZ", false],
  ])("%s and %s: %s", (glob, name, expected) => {
    expect(names(glob, name)).toBe(expected);
  });

  it.each(["[a", "[", "[]", String.raw`a\ `.trimEnd(), "[[:nothing:]]", "[a-"])("names nothing: %s", (glob) => {
    expect(parseNameGlob(glob)).toBeUndefined();
  });

  it("says what picomatch says", () => {
    const piece = fc.constantFrom("a", "b", ".", "*", "?", "[ab]", "[!a]", "x-y", "é");
    const name = fc.array(fc.constantFrom("a", "b", ".", "x", "-", "y", "é"), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), name, (pieces, letters) => {
        const [glob, text] = [pieces.join(""), letters.join("")];
        fc.pre(text !== "." && text !== ".." && !glob.includes("**"));
        const oracle = picomatch(glob, { dot: true, nonegate: true, noextglob: true, nobrace: true, posix: true });
        expect([glob, text, names(glob, text)]).toEqual([glob, text, oracle(text)]);
      }),
      { numRuns: 2000 },
    );
  });

  it("takes linear time for patterns that are made to take for ever", () => {
    const glob = `${"*a".repeat(400)}*b`;
    const before = process.cpuUsage();
    for (let round = 0; round < 100; round += 1) expect(names(glob, "a".repeat(255))).toBe(false);
    // A backtracking matcher would not come back within the life of the universe; this takes milliseconds.
    expect(process.cpuUsage(before).user).toBeLessThan(20_000_000);
  });
});

describe("a glob for a search", () => {
  it.each([
    ["*.ts", "src/a.ts", true],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/b/a.ts", false],
    ["src/**/*.ts", "src/b/c/a.ts", true],
    ["src/**/*.ts", "src/a.ts", true],
    ["**/b/*", "a/b/c", true],
    ["/a", "a", true],
    ["/a", "b/a", false],
    ["*.{ts,js}", "x/a.js", true],
    ["*.{ts,js}", "x/a.jsx", false],
    ["{a,b}/{c,d}", "b/c", true],
    ["{a,{b,c}d}", "cd", true],
    ["{a,b/c}", "x/a", true],
    ["a{b", "a{b", true],
    ["{a}", "{a}", true],
    [String.raw`\{a,b}`, "{a,b}", true],
    ["", "any/thing", true],
    ["a/**", "a", false],
    ["a/**", "a/b/c", true],
  ])("%s and %s: %s", (glob, path, expected) => {
    expect(finds(glob, path)).toBe(expected);
  });

  it("refuses what it cannot read, and what makes too many", () => {
    for (const glob of ["[a", "a/[b", "{a,[}", "{a,b}".repeat(7)]) expect(() => parseSearchGlob(glob)).toThrow("glob");
    expect(() => parseSearchGlob("{,".repeat(500))).not.toThrow();
  });
});
