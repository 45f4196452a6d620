import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTempJournal } from "../../src/files/temp-journal.ts";
import { factsLocate } from "../../src/files/locate.ts";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import type { UploadAction } from "../../src/model/action.ts";
import { fakeFacts, intents, judge, rule } from "../policy/world.ts";
import { listOf, readText, statOf, writeTo } from "./support/acts.ts";
import { tarOf } from "./support/tars.ts";
import { makeTrees, searchIn } from "./support/trees.ts";
import { chunksOf, makeWorkspace, never, permitFor, problemOf, type Workspace } from "./support/workspace.ts";

/** A file system in a file that takes `README` for `readme`, such as Windows and macOS have; why there is none here, or where it is. */
function mountFolding(folder: string): string {
  const programs = ["mkntfs", "lowntfs-3g"].filter((name) => spawnSync("which", [name]).status !== 0);
  if (programs.length > 0) return `no ${programs.join(" and no ")} (ntfs-3g)`;
  if (!existsSync("/dev/fuse")) return "no /dev/fuse";
  const image = join(folder, "..", "image");
  writeFileSync(image, "");
  truncateSync(image, 8 << 20);
  spawnSync("mkntfs", ["-F", "-Q", "-q", "-s", "512", image]);
  const mounted = spawnSync("lowntfs-3g", ["-o", "ignore_case", image, folder], { encoding: "utf8" });
  return mounted.status === 0 ? "" : `it cannot be mounted: ${mounted.stderr}`;
}

const w: Workspace = makeWorkspace();
const missing = mountFolding(w.root);
if (missing !== "") console.log(`skipped: a file system that folds names: ${missing}`);
afterAll(() => {
  if (missing === "") execFileSync("umount", [w.root]);
  w.remove();
});

describe.skipIf(missing !== "")("on a file system that folds names", () => {
  beforeAll(() => {
    mkdirSync(w.at("secret"));
    writeFileSync(w.at("secret/key"), "hidden");
    writeFileSync(w.at("readme"), "text");
    // The premise: another spelling leads to the same file, and the kernel does not tell.
    expect(readFileSync(w.at("README"), "utf8")).toBe("text");
  });

  const rules = [rule({ capability: "fs_read", effect: "deny", match: [`${w.root}/secret`, w.at("readme")] })];
  const facts = { ...fakeFacts(), locate: factsLocate };
  const scopes = [{ root: w.root as AbsolutePath, access: "rw", lasts: "always" }] as const;

  it.each(["readme", "README", "ReadMe", "secret/key", "SECRET/key", "secret/KEY", "Secret/Key", "SECRET"])(
    "a rule holds for every spelling: %s",
    (name) => {
      expect(judge(intents.read(w.at(name)), { facts, rules, scopes }).settlement.kind).toBe("deny");
    },
  );

  it("a path is judged and served as the folder spells it", async () => {
    expect(factsLocate(w.at("SECRET/Key"))).toEqual({ real: w.at("secret/key"), kind: "file" });
    expect(factsLocate(w.at("SECRET/New"))).toEqual({ real: w.at("secret/New"), kind: "missing" });
    expect(await readText(w, factsLocate(w.at("README")).real)).toBe("text");
  });

  it("no actor takes a spelling that was not judged", async () => {
    for (const name of ["README", "Secret", "secret/KEY"])
      expect([name, (await problemOf(statOf(w, w.at(name)))).code]).toEqual([name, "failed_precondition"]);
    expect(await problemOf(writeTo(w, w.at("README"), "x"))).toMatchObject({ code: "failed_precondition" });
    expect(await problemOf(listOf(w, w.at("SECRET")))).toMatchObject({ code: "failed_precondition" });
    expect(readFileSync(w.at("readme"), "utf8")).toBe("text");
  });

  it("no archive writes under another spelling", async () => {
    const trees = await makeTrees({ journal: createTempJournal(w.journal as AbsolutePath) });
    const permit = () =>
      permitFor<UploadAction>({ kind: "upload", path: w.root as AbsolutePath, overwrite: true, makeParents: false });
    const done = await trees.upload(permit(), w.below, chunksOf(tarOf({ name: "README", content: "x" })), never);
    expect(done.leftOut.first.map(({ name }) => name)).toEqual(["README"]);
    const through = trees.upload(permit(), w.below, chunksOf(tarOf({ name: "SECRET/new", content: "x" })), never);
    expect(await problemOf(through)).toMatchObject({ code: "invalid_argument" });
    expect(readFileSync(w.at("readme"), "utf8")).toBe("text");
  });

  it("lists and searches show names as the folder has them", async () => {
    const { entries } = await listOf(w, w.root as AbsolutePath, 100, { depth: 2 });
    expect(entries.map(({ name }) => name)).toEqual(["readme", "secret", "secret/key"]);
    const { hits } = await searchIn(w, await makeTrees(), { pattern: "text|hidden" });
    expect(hits.map(({ path }) => path).toSorted()).toEqual([w.at("readme"), w.at("secret/key")]);
  });
});
