import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { followDots } from "../../src/files/follow-dots.ts";
import { makeWorkspace, type Workspace } from "./support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
  mkdirSync(w.at("a/b/c"), { recursive: true });
  mkdirSync(w.at("far/away"), { recursive: true });
  for (const name of ["f", "a/f", "a/b/f", "far/f", "far/away/f"]) writeFileSync(w.at(name), name);
  symlinkSync(w.at("far/away"), w.at("a/l"));
  symlinkSync("../far", w.at("a/m"));
  symlinkSync("l/..", w.at("a/n"));
  symlinkSync("nowhere", w.at("a/dangling"));
  symlinkSync("loop", w.at("a/loop"));
});
afterEach(() => w.remove());

/** What the kernel finds there: it gets the text as it is. */
function inode(path: string): number | undefined {
  try {
    return statSync(path).ino;
  } catch {
    return undefined;
  }
}

describe("a path with `..`", () => {
  it.each([
    ["a/l/../f", "far/f"],
    ["a/m/../f", "f"],
    ["a/n/f", "a/n/f"],
    ["a/n/../f", "f"],
    ["a/b/../f", "a/f"],
    ["a/b/c/../../l/../f", "far/f"],
    ["a/./b//../f", "a/f"],
    ["a/l/..", "far"],
    ["a/l/../new/er", "far/new/er"],
  ])("is read as the kernel reads it: %s", (text, real) => {
    expect(followDots(`${w.root}/${text}`)).toBe(w.at(real));
  });

  it.each(["a/missing/../f", "a/f/../f", "a/dangling/../f", "a/loop/../f", "a/missing/../l/../f"])(
    "is refused in one and the same way where nothing can be followed: %s",
    (text) => {
      expect(inode(`${w.root}/${text}`)).toBeUndefined();
      expect(() => followDots(`${w.root}/${text}`)).toThrow(/^nobody can tell where \.\. leads from /);
    },
  );

  it("is refused on the way through a procfs, whose links are the sidecar's own", () => {
    expect(() => followDots("/proc/self/cwd/../x")).toThrow("nobody can tell");
  });

  it("stays at the root above it, and is none where it is relative, too long or holds a NUL", () => {
    expect(followDots("/../../etc")).toBe("/etc");
    expect(followDots("/..")).toBe("/");
    for (const text of ["a/../b", "/a\0/../b", `/${"a/../".repeat(900)}`]) expect(followDots(text)).toBeUndefined();
  });

  it("leads where the kernel goes, whatever it is made of", () => {
    const names = ["a", "b", "l", "m", "n", "f", "far", "away", "dangling", "missing", "..", "..", "..", "."];
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    let found = 0;
    for (let round = 0; round < 2000; round += 1) {
      // A `.` at the end of a file's name is let pass, as in every path: the kernel wants a folder there.
      const text = [
        w.root,
        ...Array.from({ length: 1 + random(5) }, () => names[random(names.length)]),
        names[random(13)],
      ].join("/");
      const there = inode(text);
      if (there !== undefined) found += 1;
      let path: string | undefined;
      try {
        path = followDots(text);
      } catch {
        expect([text, there]).toEqual([text, undefined]);
        continue;
      }
      expect([text, inode(path ?? "")]).toEqual([text, there]);
    }
    expect(found).toBeGreaterThan(50);
  });
});
