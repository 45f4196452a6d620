import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileChanges } from "../../../src/files/file-changes.ts";
import type { Below } from "../../../src/model/gate-ports.ts";
import { pathOfBytes } from "../../../src/model/path-bytes.ts";
import { changesOf, copyTo, makeAt, moveTo } from "../support/changes.ts";
import { makeWorkspace, problemOf, type Workspace } from "../support/workspace.ts";

let w: Workspace;
let changes: FileChanges;
beforeEach(() => {
  w = makeWorkspace();
  changes = changesOf(w);
});
afterEach(() => {
  // Whatever happened: no temporary file, and no note of one.
  const names = readdirSync(w.root, { recursive: true, encoding: "latin1" });
  expect(names.filter((name) => name.includes(".sallyport-"))).toEqual([]);
  if (existsSync(w.journal)) expect(readdirSync(w.journal)).toEqual([]);
  w.remove();
});

const text = (name: string): string => readFileSync(w.at(name), "utf8");

/** A folder with files, links and a folder in it. */
function plant(name: string): void {
  mkdirSync(w.at(`${name}/sub/deep`), { recursive: true });
  writeFileSync(w.at(`${name}/a`), "a");
  writeFileSync(w.at(`${name}/sub/deep/b`), "bb", { mode: 0o640 });
  symlinkSync("../a", w.at(`${name}/sub/up`));
  symlinkSync("/etc/passwd", w.at(`${name}/out`));
}

describe("moving", () => {
  it("renames a file, and keeps what it is", async () => {
    writeFileSync(w.at("a"), "x", { mode: 0o640 });
    const { ino } = statSync(w.at("a"));
    expect(await moveTo(changes, w.at("a"), w.at("b"))).toBe(1);
    const { ino: now, mode, nlink } = statSync(w.at("b"));
    expect([readdirSync(w.root), now, mode & 0o777, nlink]).toEqual([["b"], ino, 0o640, 1]);
  });

  it("renames a folder with all it holds", async () => {
    plant("d");
    mkdirSync(w.at("e"));
    expect(await moveTo(changes, w.at("d"), w.at("e/d"))).toBe(7);
    expect([readdirSync(w.root), text("e/d/sub/deep/b")]).toEqual([["e"], "bb"]);
  });

  it("moves a link itself, also one that leads nowhere, and a FIFO without opening it", async () => {
    symlinkSync("nowhere", w.at("l"));
    execFileSync("mkfifo", [w.at("p")]);
    await moveTo(changes, w.at("l"), w.at("m"));
    await moveTo(changes, w.at("p"), w.at("q"));
    expect([readlinkSync(w.at("m")), lstatSync(w.at("q")).isFIFO()]).toEqual(["nowhere", true]);
  });

  it("replaces nothing unless told so", async () => {
    for (const name of ["a", "b"]) writeFileSync(w.at(name), name);
    expect((await problemOf(moveTo(changes, w.at("a"), w.at("b")))).code).toBe("already_exists");
    expect([text("a"), text("b")]).toEqual(["a", "b"]);
    await moveTo(changes, w.at("a"), w.at("b"), { overwrite: true });
    expect([readdirSync(w.root), text("b")]).toEqual([["b"], "a"]);
  });

  it("replaces a link itself, not what it leads to", async () => {
    writeFileSync(w.at("a"), "a");
    writeFileSync(w.at("target"), "t");
    symlinkSync("target", w.at("l"));
    await moveTo(changes, w.at("a"), w.at("l"), { overwrite: true });
    expect([lstatSync(w.at("l")).isFile(), text("target")]).toEqual([true, "t"]);
  });

  it("leaves one name of two names of one file", async () => {
    writeFileSync(w.at("a"), "x");
    linkSync(w.at("a"), w.at("b"));
    await moveTo(changes, w.at("a"), w.at("b"), { overwrite: true });
    expect(readdirSync(w.root)).toEqual(["b"]);
  });

  it("replaces no folder, and nothing with a folder", async () => {
    mkdirSync(w.at("d"));
    mkdirSync(w.at("e"));
    writeFileSync(w.at("f"), "f");
    for (const [from, to] of [
      ["d", "e"],
      ["d", "f"],
      ["f", "d"],
    ] as const)
      expect((await problemOf(moveTo(changes, w.at(from), w.at(to), { overwrite: true }))).code).toBe(
        "failed_precondition",
      );
    expect(readdirSync(w.root)).toEqual(["d", "e", "f"]);
  });

  it.each([
    ["d", "d", "failed_precondition", "to"],
    ["d", "d/x", "failed_precondition", "to"],
    ["gone", "x", "not_found", "from"],
    ["gone/x", "x", "not_found", "from"],
    ["d", "gone/x", "not_found", "to"],
    ["f", "f/x", "failed_precondition", "to"],
    ["d", "f/x", "failed_precondition", "to"],
    ["l/x", "y", "aborted", "from"],
    ["f", "l/x", "aborted", "to"],
  ])("refuses %s to %s as %s", async (from, to, code, field) => {
    mkdirSync(w.at("d"));
    writeFileSync(w.at("f"), "f");
    writeFileSync(w.at("d/x"), "x");
    symlinkSync("d", w.at("l"));
    const problem = await problemOf(moveTo(changes, w.at(from), w.at(to)));
    expect([problem.code, problem.field]).toEqual([code, field]);
    expect(problem.message).toContain(w.root);
  });

  it("takes no folder along in which something may not be read, and does not name it", async () => {
    plant("d");
    const below: Below = (_kind, root) => (path) => (path === `${root}/sub/deep/b` ? "deny" : "allow");
    const problem = await problemOf(moveTo(changes, w.at("d"), w.at("e"), { below }));
    expect([problem.code, problem.message]).toEqual([
      "permission_denied",
      `${w.at("d")}: it holds something that may not be read`,
    ]);
    expect(readdirSync(w.root)).toEqual(["d"]);
  });

  it("moves names of any bytes", async () => {
    const odd = pathOfBytes(Buffer.from([0x66, 0xff, 0xfe]));
    mkdirSync(w.at("d"));
    writeFileSync(Buffer.concat([Buffer.from(w.at("d/")), Buffer.from([0x66, 0xff, 0xfe])]), "x");
    await moveTo(changes, w.at(`d/${odd}`), w.at(`d/${odd}2`));
    expect(readdirSync(w.at("d"), { encoding: "buffer" })).toEqual([Buffer.from([0x66, 0xff, 0xfe, 0x32])]);
  });
});

describe("copying", () => {
  it("copies a file: content and mode, for the folder's owner", async () => {
    writeFileSync(w.at("a"), "content");
    chmodSync(w.at("a"), 0o4750);
    expect(await copyTo(changes, w.at("a"), w.at("b"))).toEqual({ entries: 1, bytes: 7 });
    const { mode, uid } = statSync(w.at("b"));
    expect([text("b"), mode & 0o7777, uid]).toEqual(["content", 0o750, statSync(w.root).uid]);
    expect(text("a")).toBe("content");
  });

  it("copies a folder: links stay links, hard links become files of their own", async () => {
    plant("d");
    linkSync(w.at("d/a"), w.at("d/a2"));
    expect(await copyTo(changes, w.at("d"), w.at("e"), { recursive: true })).toEqual({ entries: 8, bytes: 4 });
    expect([readlinkSync(w.at("e/sub/up")), readlinkSync(w.at("e/out"))]).toEqual(["../a", "/etc/passwd"]);
    expect([text("e/a"), text("e/sub/deep/b"), statSync(w.at("e/sub/deep/b")).mode & 0o777]).toEqual([
      "a",
      "bb",
      0o640,
    ]);
    expect([statSync(w.at("e/a")).nlink, statSync(w.at("d/a")).nlink]).toEqual([1, 2]);
  });

  it("needs to be told for a folder", async () => {
    plant("d");
    const { code, field } = await problemOf(copyTo(changes, w.at("d"), w.at("e")));
    expect([code, field, readdirSync(w.root)]).toEqual(["failed_precondition", "recursive", ["d"]]);
  });

  it("replaces a file where it is told so, which keeps its owner and mode", async () => {
    writeFileSync(w.at("a"), "new");
    writeFileSync(w.at("b"), "old", { mode: 0o600 });
    expect((await problemOf(copyTo(changes, w.at("a"), w.at("b")))).code).toBe("already_exists");
    await copyTo(changes, w.at("a"), w.at("b"), { overwrite: true });
    expect([text("b"), statSync(w.at("b")).mode & 0o777]).toEqual(["new", 0o600]);
  });

  it.each([
    ["f", "d", "failed_precondition"],
    ["d", "f", "failed_precondition"],
    ["f", "l", "failed_precondition"],
    ["d", "d/x", "failed_precondition"],
    ["f", "f", "failed_precondition"],
    ["p", "x", "failed_precondition"],
    ["gone", "x", "not_found"],
    ["f", "gone/x", "not_found"],
    ["l", "x", "aborted"],
  ])("refuses %s to %s as %s", async (from, to, code) => {
    mkdirSync(w.at("d"));
    writeFileSync(w.at("f"), "f");
    symlinkSync("f", w.at("l"));
    execFileSync("mkfifo", [w.at("p")]);
    const work = copyTo(changes, w.at(from), w.at(to), { recursive: true, overwrite: true });
    expect((await problemOf(work)).code).toBe(code);
    expect(readdirSync(w.root)).toEqual(["d", "f", "l", "p"]);
  });

  it("refuses a folder that holds a socket, a FIFO or a device, and leaves nothing", async () => {
    plant("d");
    execFileSync("mkfifo", [w.at("d/sub/deep/p")]);
    const problem = await problemOf(copyTo(changes, w.at("d"), w.at("e"), { recursive: true }));
    expect([problem.code, problem.message]).toEqual([
      "failed_precondition",
      `${w.at("d/sub/deep/p")}: it is no file, folder or link`,
    ]);
    expect(readdirSync(w.root)).toEqual(["d"]);
  });

  it("copies no folder in which something may not be read", async () => {
    plant("d");
    const below: Below = (_kind, root) => (path) => (path === `${root}/sub/deep/b` ? "ask" : "allow");
    const problem = await problemOf(copyTo(changes, w.at("d"), w.at("e"), { recursive: true, below }));
    expect([problem.code, problem.message]).toEqual([
      "permission_denied",
      `${w.at("d")}: it holds something that needs a question of its own`,
    ]);
    expect(readdirSync(w.root)).toEqual(["d"]);
  });

  it("keeps holes", async () => {
    writeFileSync(w.at("a"), "head");
    truncateSync(w.at("a"), 64 << 20);
    await copyTo(changes, w.at("a"), w.at("b"));
    const { size, blocks } = statSync(w.at("b"));
    expect([size, blocks * 512 < 4 << 20, readFileSync(w.at("b")).subarray(0, 5)]).toEqual([
      64 << 20,
      true,
      Buffer.from("head\0"),
    ]);
  });

  it("holds its limits: file size, number of entries, depth", async () => {
    const limited = changesOf(w, { maxFileBytes: 10, maxEntries: 5 });
    writeFileSync(w.at("big"), "12345678901");
    plant("d");
    mkdirSync(w.at(`deep/${"x/".repeat(130)}`), { recursive: true });
    for (const work of [
      () => copyTo(limited, w.at("big"), w.at("b")),
      () => copyTo(limited, w.at("d"), w.at("e"), { recursive: true }),
      () => moveTo(limited, w.at("d"), w.at("e")),
      () => copyTo(changes, w.at("deep"), w.at("e"), { recursive: true }),
    ]) {
      const problem = await problemOf(work());
      expect([problem.code, problem.message.includes(w.root)]).toEqual(["resource_exhausted", true]);
    }
    expect(readdirSync(w.root)).toEqual(["big", "d", "deep"]);
  });

  it("ends where its caller goes, and leaves nothing", async () => {
    plant("d");
    const { code } = await problemOf(
      copyTo(changes, w.at("d"), w.at("e"), { recursive: true, signal: AbortSignal.abort() }),
    );
    expect([code, readdirSync(w.root)]).toEqual(["cancelled", ["d"]]);
  });
});

describe("making folders", () => {
  it("makes one, with its mode whatever the umask", async () => {
    const before = process.umask(0o077);
    try {
      const { created, info } = await makeAt(changes, w.at("d"), false, 0o775);
      expect([created, info.kind, info.mode, info.name]).toEqual([true, "folder", 0o775, w.at("d")]);
    } finally {
      process.umask(before);
    }
  });

  it("makes those on the way, and takes one that is there for success, where that is asked for", async () => {
    const before = process.umask(0o077);
    try {
      expect((await problemOf(makeAt(changes, w.at("a/b/c")))).code).toBe("not_found");
      expect((await makeAt(changes, w.at("a/b/c"), true, 0o700)).created).toBe(true);
      expect(["a", "a/b", "a/b/c"].map((name) => statSync(w.at(name)).mode & 0o777)).toEqual([0o755, 0o755, 0o700]);
      expect((await makeAt(changes, w.at("a/b/c"), true)).created).toBe(false);
      expect((await problemOf(makeAt(changes, w.at("a/b")))).code).toBe("already_exists");
      for (const missing of [129, 1500])
        expect(await problemOf(makeAt(changes, w.at(`${"x/".repeat(missing)}y`), true))).toMatchObject({
          code: "resource_exhausted",
          message: expect.stringContaining("more than 128 folders on the way to it are missing"),
        });
    } finally {
      process.umask(before);
    }
  });

  it.each(["f", "l", "f/x", "/"])("refuses %s", async (name) => {
    writeFileSync(w.at("f"), "f");
    symlinkSync("nowhere", w.at("l"));
    const path = name === "/" ? (name as ReturnType<Workspace["at"]>) : w.at(name);
    for (const parents of [false, true])
      expect(["already_exists", "failed_precondition", "aborted"]).toContain(
        (await problemOf(makeAt(changes, path, parents))).code,
      );
    expect(readdirSync(w.root)).toEqual(["f", "l"]);
  });

  it("belongs to the owner of the folder that it is in", async () => {
    if (process.geteuid?.() !== 0) {
      process.stderr.write("not looked at: only root makes folders for others\n");
      return;
    }
    mkdirSync(w.at("theirs"));
    execFileSync("chown", ["1234:1234", w.at("theirs")]);
    await makeAt(changes, w.at("theirs/x/y"), true);
    expect([statSync(w.at("theirs/x")).uid, statSync(w.at("theirs/x/y")).uid]).toEqual([1234, 1234]);
    writeFileSync(w.at("a"), "a");
    await copyTo(changes, w.at("a"), join(w.root, "theirs/a") as ReturnType<Workspace["at"]>);
    expect(statSync(w.at("theirs/a")).uid).toBe(1234);
  });
});
