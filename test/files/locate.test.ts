import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { factsLocate } from "../../src/files/locate.ts";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import { Problem } from "../../src/model/problem.ts";
import { makeWorkspace, type Workspace } from "./support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
  mkdirSync(w.at("d/e"), { recursive: true });
  writeFileSync(w.at("d/f"), "x");
});
afterEach(() => w.remove());

const link = (target: string, name: string) => symlinkSync(target, w.at(name));
const found = (name: string) => {
  const { real, kind } = factsLocate(w.at(name));
  return `${real.replace(w.root, "")} ${kind}`;
};
const codeOf = (path: string) => {
  try {
    return factsLocate(path as AbsolutePath).real;
  } catch (error) {
    return error instanceof Problem ? error.code : String(error);
  }
};

describe("factsLocate", () => {
  it("tells files, folders, others and nothing apart", () => {
    expect(["d", "d/f", "no", "no/thing", "d/f/below"].map(found)).toEqual([
      "/d folder",
      "/d/f file",
      "/no missing",
      "/no/thing missing",
      "/d/f/below missing",
    ]);
    expect(factsLocate("/dev/null" as AbsolutePath)).toEqual({ real: "/dev/null", kind: "other" });
    expect(factsLocate("/" as AbsolutePath)).toEqual({ real: "/", kind: "folder" });
  });

  it("follows links: absolute, relative, in the middle, through others, and out of the tree", () => {
    link(w.at("d"), "abs");
    link("d/e", "rel");
    link("../d/./f", "d/up");
    link("abs", "twice");
    link("/etc/hostname", "out");
    expect(["abs/f", "rel", "d/up", "twice/e", "rel/../x"].map(found)).toEqual(
      [
        "/d/f file",
        "/d/e folder",
        "/d/f file",
        "/d/e folder",
        // The text was normalised before it came here, as AbsolutePath says.
        "/x missing",
      ].map((text, index) => (index === 4 ? found("x") : text)),
    );
    expect(factsLocate(w.at("out")).real).toBe("/etc/hostname");
    expect(factsLocate(w.at("out/x")).real).toBe("/etc/hostname/x");
  });

  it("appends what does not exist behind a link to where the link leads", () => {
    link("/nowhere/at/all", "dangling");
    link("d", "way");
    expect(factsLocate(w.at("dangling/x"))).toEqual({ real: "/nowhere/at/all/x", kind: "missing" });
    expect(found("way/new/file")).toBe("/d/new/file missing");
  });

  it("resolves .. in a link from where the link is, and never above the root", () => {
    link("d/e", "deep");
    symlinkSync("../f", w.at("d/e/up"));
    symlinkSync("../".repeat(60) + "etc", w.at("d/root"));
    expect(found("deep/up")).toBe("/d/f file");
    expect(factsLocate(w.at("d/root")).real).toBe("/etc");
  });

  it("refuses loops, chains that are too long, and links of a procfs", () => {
    link("loop", "loop");
    link("b", "a");
    link("a", "b");
    for (let count = 0; count < 45; count += 1) link(count === 0 ? "d" : `chain${count - 1}`, `chain${count}`);
    expect(["loop", "a/x", "chain44"].map((name) => codeOf(w.at(name)))).toEqual(Array(3).fill("failed_precondition"));
    expect(found("chain30")).toBe("/d folder");
    link("/proc/self/root", "door");
    for (const path of [
      w.at("door/etc"),
      "/proc/self/environ",
      "/proc/1/root/etc",
      `/proc/${process.pid}/fd/0`,
      "/dev/fd/0",
    ])
      expect([path, codeOf(path)]).toEqual([path, "permission_denied"]);
  });

  it("refuses a link whose target is not UTF-8 or too long", () => {
    symlinkSync(Buffer.from([0x2f, 0xff]), w.at("bytes"));
    expect(codeOf(w.at("bytes"))).toBe("invalid_argument");
    let name = "x".repeat(200);
    for (let depth = 0; depth < 18; depth += 1) name = `${"x".repeat(200)}/${name}`;
    link(name, "long");
    expect(codeOf(w.at(`long/${"y".repeat(200)}/${"z".repeat(200)}/${"z".repeat(200)}`))).toBe("invalid_argument");
  });

  it("appends what is not there, however deep, and takes `..` of a link out of it", () => {
    const deep = `${"q/".repeat(1900)}q`;
    expect(factsLocate(w.at(deep))).toEqual({ real: w.at(deep), kind: "missing" });
    link("missing/../also/x", "away");
    expect(factsLocate(w.at("away/y"))).toEqual({ real: w.at("also/x/y"), kind: "missing" });
  });
});
