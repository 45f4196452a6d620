import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { folderEntries } from "../../src/files/folder-entries.ts";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import { Problem } from "../../src/model/problem.ts";
import { makeWorkspace, type Workspace } from "./support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
  mkdirSync(w.at("d/e"), { recursive: true });
  writeFileSync(w.at("d/f"), "x");
  symlinkSync("nowhere", w.at("d/l"));
});
afterEach(() => w.remove());

describe("folderEntries", () => {
  it("tells links, folders and others apart, without following", () => {
    const found = folderEntries(w.at("d"), 3)?.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(found).toEqual([
      { name: "e", kind: "folder" },
      { name: "f", kind: "other" },
      { name: "l", kind: "link" },
    ]);
  });

  it("gives nothing of what cannot be listed, and says where there is more than asked for", () => {
    expect(folderEntries(w.at("no"), 9)).toEqual([]);
    expect(folderEntries(w.at("d/f"), 9)).toEqual([]);
    expect(folderEntries("/proc/self" as AbsolutePath, 999)).toEqual([]);
    expect(folderEntries(w.at("d"), 2)).toBeUndefined();
  });

  it("refuses a link whose name nobody can write down, and lists a file with such a name", () => {
    const odd = Buffer.concat([Buffer.from(`${w.at("d/e")}/`), Buffer.from([0xff])]);
    writeFileSync(odd, "");
    expect(folderEntries(w.at("d/e"), 9)).toHaveLength(1);
    symlinkSync("x", Buffer.concat([odd, Buffer.from("l")]));
    expect(() => folderEntries(w.at("d/e"), 9)).toThrow(Problem);
  });
});
