import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createTrash } from "../../../src/files/trash/trash.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { Below } from "../../../src/model/gate-ports.ts";
import { pathOfBytes } from "../../../src/model/path-bytes.ts";
import { until } from "../../server/until.ts";
import { changesOf, emptyOf, removeAt, restoreTo, trashOf } from "../support/changes.ts";
import { makeWorkspace, problemOf, type Workspace } from "../support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
});
afterEach(() => {
  expect(readdirSync(w.root).filter((name) => name.includes(".sallyport-"))).toEqual([]);
  if (existsSync(w.journal)) expect(readdirSync(w.journal)).toEqual([]);
  w.remove();
});

const text = (name: string): string => readFileSync(w.at(name), "utf8");

function plant(name: string): void {
  mkdirSync(w.at(`${name}/sub`), { recursive: true });
  writeFileSync(w.at(`${name}/sub/a`), "aaa", { mode: 0o640 });
  symlinkSync("sub/a", w.at(`${name}/l`));
}

/** A clock that is set by hand. */
function clockAt(time: number): { now: number; clock: () => Date } {
  const hands = { now: time, clock: () => new Date(hands.now) };
  return hands;
}

describe("emptying", () => {
  it("deletes what is meant for good, however deep, and nothing else", async () => {
    const changes = changesOf(w);
    for (const name of ["a", "b", "c"]) plant(name);
    const removed = [];
    for (const name of ["a", "b", "c"]) removed.push(await removeAt(changes, w.at(name), true));
    const [a, b, c] = removed.map(({ id }) => id);
    const gone = await emptyOf(changes, a ?? "", b ?? "", "0".repeat(32));
    expect(gone.map(({ path }) => path).toSorted()).toEqual([w.at("a"), w.at("b")]);
    expect(readdirSync(trashOf(w))).toEqual([c]);
    expect((await changes.trash()).map(({ id }) => id)).toEqual([c]);
    expect((await problemOf(restoreTo(changes, a ?? "", w.at("a")))).code).toBe("not_found");
    expect(await emptyOf(changes, a ?? "")).toEqual([]);
  });

  it("gives an entry to one of two who want it: back, or for good", async () => {
    const changes = changesOf(w);
    plant("d");
    const { id } = await removeAt(changes, w.at("d"), true);
    const [back, gone] = await Promise.allSettled([restoreTo(changes, id, w.at("d")), emptyOf(changes, id)]);
    const isBack = existsSync(w.at("d/sub/a"));
    expect([back.status, gone]).toEqual(
      isBack
        ? ["fulfilled", { status: "fulfilled", value: [] }]
        : ["rejected", { status: "fulfilled", value: [expect.objectContaining({ id })] }],
    );
    expect(readdirSync(trashOf(w))).toEqual([]);
  });
});

describe("removing", () => {
  it("moves a folder to the trash, which belongs to its owner alone, and restores it as it was", async () => {
    const changes = changesOf(w);
    plant("d");
    const { ino } = statSync(w.at("d/sub/a"));
    const removed = await removeAt(changes, w.at("d"), true);
    expect(removed).toMatchObject({ path: w.at("d"), kind: "folder", entries: 4, bytes: 3, agent: "bot" });
    expect([readdirSync(w.root), statSync(trashOf(w)).mode & 0o777]).toEqual([[], 0o700]);
    expect(statSync(join(trashOf(w), removed.id)).mode & 0o777).toBe(0o700);
    expect(await changes.trash()).toMatchObject([{ id: removed.id, path: w.at("d"), removedAt: removed.removedAt }]);
    expect(await restoreTo(changes, removed.id, w.at("d"))).toMatchObject({ kind: "folder", name: w.at("d") });
    const { ino: now, mode } = statSync(w.at("d/sub/a"));
    expect([now, mode & 0o777, readlinkSync(w.at("d/l"))]).toEqual([ino, 0o640, "sub/a"]);
    expect([await changes.trash(), readdirSync(trashOf(w))]).toEqual([[], []]);
  });

  it("takes a link itself, one of two names of a file, a FIFO, and names of any bytes", async () => {
    const changes = changesOf(w);
    writeFileSync(w.at("f"), "f");
    symlinkSync("f", w.at("l"));
    symlinkSync("nowhere", w.at("dangling"));
    linkSync(w.at("f"), w.at("twin"));
    execFileSync("mkfifo", [w.at("p")]);
    const odd = pathOfBytes(Buffer.from([0xff, 0x0a]));
    writeFileSync(Buffer.concat([Buffer.from(w.at("")), Buffer.from([0x2f, 0xff, 0x0a])]), "odd");
    const removed = [];
    for (const name of ["l", "dangling", "twin", "p", odd]) removed.push(await removeAt(changes, w.at(name)));
    expect(removed.map(({ kind }) => kind)).toEqual(["symlink", "symlink", "file", "other", "file"]);
    expect([readdirSync(w.root), text("f"), statSync(w.at("f")).nlink]).toEqual([["f"], "f", 2]);
    // What it knows survives a restart, bytes included.
    const later = changesOf(w);
    for (const { id, path } of removed) await restoreTo(later, id, path);
    expect(readdirSync(w.root, { encoding: "buffer" })).toContainEqual(Buffer.from([0xff, 0x0a]));
    expect([readlinkSync(w.at("l")), lstatSync(w.at("p")).isFIFO()]).toEqual(["f", true]);
  });

  it.each([
    ["d", false, "failed_precondition"],
    ["gone", false, "not_found"],
    ["gone/x", true, "not_found"],
    ["f/x", true, "failed_precondition"],
    ["l/x", true, "aborted"],
  ])("refuses %s (recursive: %s) as %s", async (name, recursive, code) => {
    plant("d");
    writeFileSync(w.at("f"), "f");
    symlinkSync("d", w.at("l"));
    const problem = await problemOf(removeAt(changesOf(w), w.at(name), recursive));
    expect([problem.code, problem.message.includes(w.root)]).toEqual([code, true]);
    expect(readdirSync(w.root)).toEqual(["d", "f", "l"]);
  });

  it("takes an empty folder without being told", async () => {
    mkdirSync(w.at("d"));
    expect((await removeAt(changesOf(w), w.at("d"))).entries).toBe(1);
    expect(readdirSync(w.root)).toEqual([]);
  });

  it("holds the number of entries", async () => {
    plant("d");
    const problem = await problemOf(removeAt(changesOf(w, { maxEntries: 3 }), w.at("d"), true));
    expect([problem.code, readdirSync(w.root)]).toEqual(["resource_exhausted", ["d"]]);
  });
});

describe("restoring", () => {
  it("replaces nothing, and makes no folder", async () => {
    const changes = changesOf(w);
    mkdirSync(w.at("d"));
    writeFileSync(w.at("d/f"), "old");
    const { id } = await removeAt(changes, w.at("d/f"));
    writeFileSync(w.at("d/f"), "new");
    expect((await problemOf(restoreTo(changes, id, w.at("d/f")))).code).toBe("already_exists");
    expect((await problemOf(restoreTo(changes, id, w.at("gone/f")))).code).toBe("not_found");
    expect(text("d/f")).toBe("new");
    await restoreTo(changes, id, w.at("d/g"), w.at("d/f"));
    expect(text("d/g")).toBe("old");
    expect((await problemOf(restoreTo(changes, id, w.at("d/h")))).code).toBe("not_found");
  });

  it("happens once, also where two ask at a time", async () => {
    const changes = changesOf(w);
    writeFileSync(w.at("f"), "f");
    const { id } = await removeAt(changes, w.at("f"));
    const results = await Promise.allSettled([restoreTo(changes, id, w.at("a")), restoreTo(changes, id, w.at("b"))]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(readdirSync(w.root)).toHaveLength(1);
  });

  it("elsewhere takes nothing along that may not be read where it was, and back to its place it does", async () => {
    const changes = changesOf(w);
    plant("d");
    const { id } = await removeAt(changes, w.at("d"), true);
    const below: Below = (_kind, root) => (path) => (path === `${root}/sub/a` ? "deny" : "allow");
    const problem = await problemOf(restoreTo(changes, id, w.at("e"), w.at("d"), below));
    expect([problem.code, problem.message, readdirSync(w.root)]).toEqual([
      "permission_denied",
      `${w.at("d")}: it holds something that may not be read`,
      [],
    ]);
    await restoreTo(changes, id, w.at("d"), w.at("d"), below);
    expect(text("d/sub/a")).toBe("aaa");
  });

  it("does not go into a folder that became a link", async () => {
    const changes = changesOf(w);
    mkdirSync(w.at("d"));
    mkdirSync(w.at("outside"));
    writeFileSync(w.at("d/f"), "f");
    const { id } = await removeAt(changes, w.at("d/f"));
    rmSync(w.at("d"), { recursive: true });
    symlinkSync("outside", w.at("d"));
    expect((await problemOf(restoreTo(changes, id, w.at("d/f")))).code).toBe("aborted");
    expect([readdirSync(w.at("outside")), (await changes.trash()).length]).toEqual([[], 1]);
  });
});

describe("the trash", () => {
  it("deletes for good what is too old, and does not follow links while it does", async () => {
    const hands = clockAt(1_000_000);
    const changes = changesOf(w, { clock: hands.clock, retentionMs: 1000 });
    writeFileSync(w.at("precious"), "p");
    plant("d");
    symlinkSync(w.root, w.at("d/sub/out"));
    const { id } = await removeAt(changes, w.at("d"), true);
    expect((await changes.trash())[0]?.expiresAt).toEqual(new Date(1_001_000));
    hands.now += 1000;
    // What is too old is gone for everybody, whether it was deleted already or not.
    expect([await changes.trash(), (await problemOf(restoreTo(changes, id, w.at("x")))).code]).toEqual([
      [],
      "not_found",
    ]);
    changes.start();
    await until(() => readdirSync(trashOf(w)).length === 0);
    changes.stop();
    expect([text("precious"), changes.troubles]).toEqual(["p", []]);
  });

  it("lets the oldest go where it grows too large, never the newest", async () => {
    const hands = clockAt(1_000_000);
    const changes = changesOf(w, { clock: hands.clock, maxBytes: 10 });
    for (const [name, size] of [
      ["a", 4],
      ["b", 4],
      ["c", 4],
      ["d", 100],
    ] as const) {
      hands.now += 1;
      writeFileSync(w.at(name), "x".repeat(size));
      const { id } = await removeAt(changes, w.at(name));
      await until(() => !readdirSync(trashOf(w)).some((entry) => entry.startsWith("gone-")));
      expect((await changes.trash())[0]?.id).toBe(id);
    }
    await until(() => readdirSync(trashOf(w)).length === 1);
    expect((await changes.trash()).map(({ path }) => path)).toEqual([w.at("d")]);
  });

  it("knows after a restart what it holds, and cleans up what a crash left half", async () => {
    writeFileSync(w.at("f"), "f");
    const { id } = await removeAt(changesOf(w), w.at("f"));
    const half = "0".repeat(32);
    mkdirSync(join(trashOf(w), half));
    writeFileSync(join(trashOf(w), half, "about.json"), "{}");
    mkdirSync(join(trashOf(w), `gone-${"1".repeat(32)}`, "entry", "x"), { recursive: true });
    const lost = "2".repeat(32);
    mkdirSync(join(trashOf(w), lost, "entry"), { recursive: true });
    const changes = changesOf(w);
    expect((await changes.trash()).map((each) => each.id)).toEqual([id]);
    // Something that nobody can account for is no reason to delete it.
    expect(readdirSync(trashOf(w)).toSorted()).toEqual([id, lost].toSorted());
  });

  it("takes a tree that is deeper than anything that may be held open", async () => {
    const depth = 400;
    const changes = changesOf(w);
    mkdirSync(w.at("d"));
    const { id } = await removeAt(changes, w.at("d"));
    // A process that had the folder open went on in it.
    mkdirSync(join(trashOf(w), id, "entry", ...Array.from({ length: depth }, () => "x")), { recursive: true });
    const later = createTrash({
      folder: trashOf(w) as AbsolutePath,
      retentionMs: 0,
      maxBytes: 0,
      clock: () => new Date(Date.now() + 1000),
    });
    expect(await later.purge()).toBe(1);
    expect(readdirSync(trashOf(w))).toEqual([]);
  });

  it("on another file system leaves out what only this one can hold, and takes no such thing itself", async () => {
    const shared = "/dev/shm";
    if (statSync(shared).dev === statSync(w.root).dev) {
      process.stderr.write(`not looked at: ${shared} is no file system of its own here\n`);
      return;
    }
    const far = mkdtempSync(`${shared}/sallyport-trash-`);
    onTestFinished(() => rmSync(far, { recursive: true }));
    const changes = changesOf(w, { folders: [far] });
    plant("d");
    execFileSync("mkfifo", [w.at("d/p")]);
    execFileSync("mkfifo", [w.at("p")]);
    const { code, message } = await problemOf(removeAt(changes, w.at("p")));
    expect([code, message]).toEqual(["failed_precondition", `${w.at("p")}: it is no file, folder or link`]);
    const { id } = await removeAt(changes, w.at("d"), true);
    await restoreTo(changes, id, w.at("d"));
    expect([readdirSync(w.at("d")), text("d/sub/a"), readdirSync(w.root)]).toEqual([["l", "sub"], "aaa", ["d", "p"]]);
  });

  it("takes an entry where it is a rename away, and gives it back from wherever it is", async () => {
    const shared = "/dev/shm";
    if (statSync(shared).dev === statSync(w.root).dev) {
      process.stderr.write(`not looked at: ${shared} is no file system of its own here\n`);
      return;
    }
    const far = mkdtempSync(`${shared}/sallyport-trash-`);
    onTestFinished(() => rmSync(far, { recursive: true }));
    writeFileSync(w.at("a"), "a");
    plant("b");
    const first = await removeAt(changesOf(w, { folders: [far] }), w.at("a"));
    const { ino } = statSync(w.at("b/sub/a"));
    const changes = changesOf(w, { folders: [far, trashOf(w)] });
    const second = await removeAt(changes, w.at("b"), true);
    expect([readdirSync(far), readdirSync(trashOf(w))]).toEqual([[first.id], [second.id]]);
    expect((await changes.trash()).map(({ id }) => id)).toEqual([second.id, first.id]);
    await restoreTo(changes, first.id, w.at("a"));
    await restoreTo(changes, second.id, w.at("b"));
    expect([text("a"), statSync(w.at("b/sub/a")).ino, await changes.trash()]).toEqual(["a", ino, []]);
    expect((await problemOf(restoreTo(changes, first.id, w.at("c")))).code).toBe("not_found");
  });
});
