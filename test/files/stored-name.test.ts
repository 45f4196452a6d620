import { linkSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { storedName } from "../../src/files/stored-name.ts";
import { readText } from "./support/acts.ts";
import { makeWorkspace, type Workspace } from "./support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
});
afterEach(() => w.remove());

function stored(name: string, found = name): string | undefined {
  return storedName(w.root, name, statSync(w.at(found), { bigint: true }));
}

// A hard link is what a file system that folds names looks like from outside: two spellings, one file. The real thing: folding-disk.integration.test.ts.
describe("the name that a folder has for what was found", () => {
  it.each(["a", "A1", "é", "e\u0301", "a\u200db", "1", "x.", "n".repeat(255), "\udcff"])(
    "is the name itself: %j",
    (name) => {
      writeFileSync(w.at("f"), "");
      expect(stored(name, "f")).toBe(name);
    },
  );

  it("is the name itself where another spelling is another file, or the same by a hard link", () => {
    writeFileSync(w.at("readme"), "");
    writeFileSync(w.at("README"), "");
    expect([stored("readme"), stored("README")]).toEqual(["readme", "README"]);
    linkSync(w.at("readme"), w.at("ReadMe"));
    linkSync(w.at("README"), w.at("rEADME"));
    expect([stored("readme"), stored("README")]).toEqual(["readme", "README"]);
  });

  it.each([
    ["README", "readme"],
    ["e\u0301", "\u00e9"],
    ["se\u200dcret", "secret"],
    ["name.", "name"],
    ["ſ", "S"],
  ])("is the one that is listed where the kernel was asked for %j", (asked, listed) => {
    writeFileSync(w.at(listed), "");
    expect(stored(asked, listed)).toBe(listed);
  });

  it("costs hard links nothing but a look", async () => {
    writeFileSync(w.at("makefile"), "x");
    linkSync(w.at("makefile"), w.at("MAKEFILE"));
    expect([await readText(w, w.at("makefile")), await readText(w, w.at("MAKEFILE"))]).toEqual(["x", "x"]);
  });
});
