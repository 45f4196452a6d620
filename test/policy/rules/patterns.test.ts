import * as fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../../src/model/absolute-path.ts";
import { expandBraces } from "../../../src/policy/rules/brace-expansion.ts";
import { escapeGlob } from "../../../src/policy/rules/escape-glob.ts";
import {
  effectShape,
  parsePathPattern,
  type PathShape,
  shapeCovers,
  shapesMeet,
} from "../../../src/policy/rules/path-pattern.ts";
import { matchesWords, parseWordPattern } from "../../../src/policy/rules/word-pattern.ts";
import { path } from "../world.ts";

const world = { home: path("/home/u"), workspace: path("/w") };

function matches(pattern: string, text: string): boolean {
  return parsePathPattern(pattern, world).some((shape) => shapeCovers(shape, effectShape(path(text), true)));
}

function one(pattern: string): PathShape {
  const [shape] = parsePathPattern(pattern, world);
  if (shape === undefined) throw new Error("no shape");
  return shape;
}

describe("text patterns", () => {
  it("know nothing but *", () => {
    expect(matchesWords(parseWordPattern("git *"), "git push a/b\nc")).toBe(true);
    expect(matchesWords(parseWordPattern("git *"), "git")).toBe(false);
    expect(matchesWords(parseWordPattern("git s?atus"), "git status")).toBe(false);
    expect(matchesWords(parseWordPattern("a*a"), "a")).toBe(false);
    expect(matchesWords(parseWordPattern("**"), "")).toBe(true);
  });

  it("agree with a regular expression", () => {
    const piece = fc.string({ unit: fc.constantFrom("a", "b", " ", "*"), maxLength: 10 });
    fc.assert(
      fc.property(piece, fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 14 }), (pattern, text) => {
        const expected = new RegExp(`^${pattern.replaceAll(/\*+/g, ".*")}$`, "s").test(text);
        expect(matchesWords(parseWordPattern(pattern), text)).toBe(expected);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("file patterns", () => {
  it.each([
    ["src", "/w/src", true],
    ["src", "/w/src/a/b", true],
    ["src/", "/w/src/a", true],
    ["./src", "/w/src", true],
    ["../x", "/x/y", true],
    ["src", "/w/srcx", false],
    ["*.ts", "/w/a.ts", true],
    ["*.ts", "/w/d/a.ts", false],
    ["**/*.ts", "/w/a.ts", true],
    ["**/*.ts", "/w/d/e/.a.ts", true],
    ["**/.env", "/w/.env/x", false],
    ["~/.ssh", "/home/u/.ssh/id", true],
    ["~", "/home/u/x", true],
    ["~x", "/w/~x", true],
    ["/etc/{passwd,shadow}", "/etc/shadow", true],
    ["/etc/{passwd,shadow}", "/etc/group", false],
    ["/a/[bc]d", "/a/bd", true],
    ["/a/[!bc]d", "/a/bd", false],
    ["/a/[b-d]", "/a/c", true],
    ["project[1]/secret", "/w/project[1]/secret", true],
    ["project[1]/secret", "/w/project1/secret", true],
    [String.raw`a\*b`, "/w/a*b", true],
    [String.raw`a\*b`, "/w/axb", false],
    [String.raw`\!a`, "/w/!a", true],
    [String.raw`\!a`, "/w/b", false],
    ["a!", "/w/a!", true],
    ["$HOME/.ssh", "/home/u/.ssh/id", true],
    ["${HOME}/.ssh", "/home/u/.ssh/id", true],
    ["$HOME", "/home/u/x", true],
    ["$HOMEx", "/w/$HOMEx", true],
    ["$id.tsx", "/w/$id.tsx", true],
    ["routes/$ID/x", "/w/routes/$ID/x", true],
    [String.raw`\$ID/x`, "/w/$ID/x", true],
    ["a{1..3}", "/w/a2", true],
    ["a{1..3}", "/w/a4", false],
    ["a{08..10}", "/w/a09", true],
    ["a{08..10}", "/w/a9", false],
    ["a{c..a}", "/w/ab", true],
    ["a{1..5..2}", "/w/a4", false],
    ["a{1..x}", "/w/a{1..x}", true],
    ["+(a)", "/w/aa", false],
    ["/**", "/", true],
    ["/", "/etc", true],
  ])("%s against %s: %s", (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  it.each(["!a", "!/etc/**", "$TMPDIR/x", "${XDG_CONFIG_HOME}/x", "$PWD", "a/[z-a]", "a/[!z-a]*", "{1..100}"])(
    "refuse %s",
    (pattern) => {
      expect(() => parsePathPattern(pattern, world)).toThrow(RangeError);
    },
  );

  it("agree with picomatch", () => {
    const component = fc.oneof(
      fc
        .string({ unit: fc.constantFrom("a", "b", ".", "*", "?"), minLength: 1, maxLength: 5 })
        .filter((text) => !/^\.+$|\*\*/.test(text)),
      fc.constantFrom("**", "[ab]", "a[^b]"),
    );
    const name = fc
      .string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 5 })
      .filter((text) => !/^\.+$/.test(text));
    fc.assert(
      fc.property(
        fc.array(component, { minLength: 1, maxLength: 5 }),
        fc.array(name, { maxLength: 5 }),
        (components, names) => {
          // A pattern without wildcards stands for what is below it, too: not picomatch's business.
          fc.pre(components.some((text) => /[*?[]/.test(text)));
          // picomatch wants something below a `*` that a `**` follows, although `a/**` stands for `a` there as well.
          fc.pre(!/\*\/\*\*/.test(components.join("/")));
          // Below a folder: picomatch does not let a `**` at the very root stand for nothing.
          const pattern = `/x/${components.join("/")}`;
          const text = ["/x", ...names].join("/");
          const expected = picomatch(pattern, { dot: true, nonegate: true, noextglob: true })(text);
          expect(matches(pattern, text)).toBe(expected);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it("expand braces like picomatch does", () => {
    expect(expandBraces("a{b,c{d,e}}f")).toEqual(["abf", "acdf", "acef"]);
    expect(expandBraces("{a}{,b}{")).toEqual(["{a}{", "{a}b{"]);
    expect(expandBraces(String.raw`\{a,b}`)).toEqual([String.raw`\{a,b}`]);
    expect(() => expandBraces("{a,b}".repeat(30))).toThrow(RangeError);
  });

  it("escape any path so that the pattern stands for it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "/", "*", "?", "[", "]", "{", "}", ",", "\\", "!", " ", "~") }),
        (text) => {
          const parsed = parseAbsolutePath(`/${text}`);
          fc.pre(parsed !== undefined);
          if (parsed !== undefined) expect(matches(escapeGlob(parsed), parsed)).toBe(true);
        },
      ),
    );
  });
});

describe("two shapes", () => {
  const component = fc.oneof(
    fc
      .string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 4 })
      .filter((text) => !text.includes("**")),
    fc.constantFrom("**", "[ab]", "[!a]"),
  );
  const pattern = fc.array(component, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
  const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 3 });
  const text = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);

  it("meet where they share a path, and cover only where no path is left out", () => {
    fc.assert(
      fc.property(pattern, pattern, text, (a, b, shared) => {
        const inA = matches(a, shared);
        const inB = matches(b, shared);
        if (inA && inB) expect(shapesMeet(one(a), one(b))).toBe(true);
        if (inB && !inA) expect(shapeCovers(one(a), one(b))).toBe(false);
      }),
      { numRuns: 10_000 },
    );
  });

  it.each([
    ["/w/**/.env", "/w/src/**", true],
    ["/w/secret", "/w/**", true],
    ["/w/*.txt", "/w/foo.txt", true],
    ["/w/a*", "/w/b*", false],
    ["/w/a*", "/w/*b", true],
    ["/x", "/w/**", false],
  ])("%s and %s meet: %s", (a, b, expected) => {
    expect(shapesMeet(one(a), one(b))).toBe(expected);
    expect(shapesMeet(one(b), one(a))).toBe(expected);
  });

  it.each([
    ["/w/**", "/w/src/**", true],
    ["/w", "/w/src/*.ts", true],
    ["/w/*/x", "/w/*/x", true],
    ["/w/*", "/w/**", false],
    ["/w/[a]*", "/w/a*", false],
  ])("%s covers %s: %s", (outer, inner, expected) => {
    expect(shapeCovers(one(outer), one(inner))).toBe(expected);
  });

  it("cost little however hostile", () => {
    const stars = `/${"*a".repeat(1000)}b`;
    expect(matches(stars, `/${"a".repeat(240)}`)).toBe(false);
    expect(matches("/**/a/**/a/**/a/**/a/**/a/**/b", `/${"a/".repeat(1500)}c`)).toBe(false);
  });
});
