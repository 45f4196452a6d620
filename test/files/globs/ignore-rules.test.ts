import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseIgnoreRules } from "../../../src/files/globs/ignore-rules.ts";

function verdict(text: string, path: string, isFolder = false): string | undefined {
  return parseIgnoreRules(text).verdict(path.split("/"), isFolder);
}

describe("an ignore file", () => {
  it.each([
    ["*.log", "a/b.log", "ignored"],
    ["/*.log", "a/b.log", undefined],
    ["/*.log", "b.log", "ignored"],
    ["a/b", "x/a/b", undefined],
    ["**/a/b", "x/a/b", "ignored"],
    ["a/**", "a/b/c", "ignored"],
    ["a/**", "a", undefined],
    ["a/**/b", "a/b", "ignored"],
    ["a/**/b", "a/x/y/b", "ignored"],
    ["build/", "build", undefined],
    ["*.log\n!keep.log", "keep.log", "kept"],
    ["!keep.log\n*.log", "keep.log", "ignored"],
    ["# x", "# x", undefined],
    ["\\#x", "#x", "ignored"],
    ["\\!x", "!x", "ignored"],
    ["x   ", "x", "ignored"],
    ["x\\ ", "x ", "ignored"],
    ["x\r\n", "x", "ignored"],
    ["\ufeffx", "x", "ignored"],
    ["[a", "[a", undefined],
    ["", "x", undefined],
    ["/", "x", undefined],
  ])("%j and %s: %s", (text, path, expected) => {
    expect(verdict(text, path)).toBe(expected);
  });

  it("tells folders from files", () => {
    expect(verdict("build/", "x/build", true)).toBe("ignored");
    expect(verdict("build/", "x/build", false)).toBeUndefined();
  });
});

describe("git", () => {
  const files = ["a/b/ab", "a/ab", "a/.a", "ab/a/b", "ab/a b", "ab/#", "b", ".a", "#", "a!"];
  let repo: string;
  beforeAll(() => {
    repo = mkdtempSync(join(tmpdir(), "sallyport-ignore-"));
    execFileSync("git", ["init", "-q", repo]);
    for (const file of files) {
      mkdirSync(join(repo, dirname(file)), { recursive: true });
      writeFileSync(join(repo, file), "");
    }
  });
  afterAll(() => rmSync(repo, { recursive: true, force: true }));

  function ignoredByGit(): string[] {
    const run = spawnSync("git", ["-C", repo, "check-ignore", "--no-index", "-z", "--stdin"], {
      input: files.join("\0"),
      encoding: "utf8",
    });
    expect(run.stderr).toBe("");
    return run.stdout.split("\0").filter((name) => name !== "");
  }

  it("says the same", () => {
    const piece = fc.constantFrom("a", "b", "*", "?", "**", "/", "/", "[ab]", "[!a]", "!", "\\a", " ", ".", "#");
    const line = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        const text = lines.join("\n");
        writeFileSync(join(repo, ".gitignore"), text);
        const rules = parseIgnoreRules(text);
        // A folder that is ignored takes what is in it along; in the house that is the walk's part.
        const ignored = files.filter((file) => {
          const parts = file.split("/");
          return parts.some((_, at) => rules.verdict(parts.slice(0, at + 1), at + 1 < parts.length) === "ignored");
        });
        expect([text, ignored]).toEqual([text, ignoredByGit()]);
      }),
      { numRuns: 60 },
    );
  });
});
