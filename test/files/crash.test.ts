import { execFileSync, fork, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeTo } from "./support/acts.ts";
import { makeWorkspace, type Workspace } from "./support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
});
afterEach(() => w.remove());

/** Kills a process in the middle of a write; what it leaves is the temporary file and its note. */
async function killMidWrite(path: string): Promise<void> {
  const child = fork(join(import.meta.dirname, "support/write-forever.ts"), [w.journal, path]);
  await new Promise((done) => child.once("message", done));
  const gone = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await gone;
}

describe("after kill -9 in the middle of a write", () => {
  it("the file is as it was, and the sweep removes the stray", async () => {
    writeFileSync(w.at("f"), "old");
    await killMidWrite(w.at("f"));
    expect(readFileSync(w.at("f"), "utf8")).toBe("old");
    expect(readdirSync(w.root)).toHaveLength(2);
    expect(await w.files.sweep()).toBe(1);
    expect([readdirSync(w.root), readdirSync(w.journal)]).toEqual([["f"], []]);
    expect(await w.files.sweep()).toBe(0);
  });

  it("the sweep does not follow a folder that became a link", async () => {
    mkdirSync(w.at("d"));
    await killMidWrite(w.at("d/f"));
    const [stray = ""] = readdirSync(w.at("d"));
    renameSync(w.at("d"), w.at("other"));
    symlinkSync(w.at("other"), w.at("d"));
    expect(await w.files.sweep()).toBe(0);
    expect(readdirSync(w.at("other"))).toEqual([stray]);
  });
});

describe("the sweep", () => {
  it("removes nothing but a file of the noted name", async () => {
    mkdirSync(w.journal);
    const key = "0123456789abcdef0123456789abcdef";
    writeFileSync(w.at("precious"), "x");
    writeFileSync(w.at(".sallyport-00000000000000000000000000000000.tmp"), "x");
    for (const content of [
      w.at("precious"),
      w.at(".sallyport-00000000000000000000000000000000.tmp"),
      "",
      "relative",
      "/a\0b",
    ]) {
      writeFileSync(join(w.journal, key), content);
      expect(await w.files.sweep()).toBe(0);
      expect(readdirSync(w.journal)).toEqual([]);
    }
    expect(readdirSync(w.root)).toHaveLength(2);
  });

  it("leaves foreign files in the journal's folder alone", async () => {
    mkdirSync(w.journal);
    writeFileSync(join(w.journal, "README"), "x");
    expect(await w.files.sweep()).toBe(0);
    expect(readdirSync(w.journal)).toEqual(["README"]);
  });
});

describe("where the file system fails", () => {
  it("a write that grows too large leaves the old file and nothing else", () => {
    writeFileSync(w.at("f"), "old");
    const script = join(import.meta.dirname, "support/write-large.ts");
    // A limit on file sizes is a disk that fills in the middle of a write, without root.
    const { stdout, stderr } = spawnSync(
      "bash",
      ["-c", 'ulimit -f 64; exec "$0" "$@"', process.execPath, script, w.journal, w.at("f")],
      {
        encoding: "utf8",
      },
    );
    expect([stdout, stderr]).toEqual(["resource_exhausted\n", ""]);
    expect([readdirSync(w.root), readFileSync(w.at("f"), "utf8")]).toEqual([["f"], "old"]);
    expect(readdirSync(w.journal)).toEqual([]);
  });

  it("nothing is written where the note cannot be", async () => {
    writeFileSync(w.journal, "a file where the folder should be");
    await expect(writeTo(w, w.at("f"), "x")).rejects.toMatchObject({ name: "Problem" });
    expect(readdirSync(w.root)).toEqual([]);
    execFileSync("rm", [w.journal]);
  });
});
