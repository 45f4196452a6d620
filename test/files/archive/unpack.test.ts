import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Unpacked } from "../../../src/files/archive/unpack-archive.ts";
import { createTempJournal } from "../../../src/files/temp-journal.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { UploadAction } from "../../../src/model/action.ts";
import type { EntryVerdict } from "../../../src/model/gate-ports.ts";
import { Problem } from "../../../src/model/problem.ts";
import { paxHead, type RawEntry, tarOf } from "../support/tars.ts";
import { makeTrees } from "../support/trees.ts";
import { makeWorkspace, never, permitFor, problemOf, type Workspace } from "../support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
  writeFileSync(join(w.root, "..", "outside"), "untouched");
});
afterEach(() => {
  // Whatever an archive says, nothing of it is outside, and no temporary file is left.
  expect(readdirSync(join(w.root, "..")).toSorted()).toEqual(
    ["journal", "outside", "w"].filter((name) => name !== "journal" || hasJournal()),
  );
  expect(readFileSync(join(w.root, "..", "outside"), "utf8")).toBe("untouched");
  expect(readdirSync(w.root, { recursive: true }).filter((name) => String(name).includes(".sallyport-"))).toEqual([]);
  w.remove();
});

function hasJournal(): boolean {
  try {
    return readdirSync(w.journal).length === 0;
  } catch {
    return false;
  }
}

interface Choices extends Partial<UploadAction> {
  readonly verdict?: EntryVerdict;
  readonly signal?: AbortSignal;
  readonly maxFileBytes?: number;
  readonly maxEntries?: number;
}

async function unpack(archive: Buffer | AsyncIterable<Uint8Array>, choices: Choices = {}): Promise<Unpacked> {
  const { verdict = () => "allow", signal = never, maxFileBytes = 1 << 30, maxEntries = 1000, ...more } = choices;
  const trees = await makeTrees({ journal: createTempJournal(w.journal as AbsolutePath), maxFileBytes, maxEntries });
  const permit = permitFor<UploadAction>({
    kind: "upload",
    path: w.root as AbsolutePath,
    overwrite: false,
    makeParents: false,
    ...more,
  });
  const chunks = Buffer.isBuffer(archive) ? pieces(archive) : archive;
  return trees.upload(permit, () => verdict, chunks, signal);
}

/** In pieces that fit no block. */
async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 777) yield bytes.subarray(at, at + 777);
}

const names = (): string[] => readdirSync(w.root, { recursive: true }).map(String).toSorted();
const text = (name: string): string => readFileSync(w.at(name), "utf8");

describe("an archive", () => {
  it("becomes files, folders and links", async () => {
    const done = await unpack(
      tarOf(
        { name: "./", type: "5" },
        { name: "./a", content: "one", mode: 0o755 },
        { name: "d/", type: "5" },
        { name: "d/e/f", content: "x".repeat(2000) },
        { name: "d/l", type: "2", link: "../a" },
        { name: "h", type: "1", link: "./a" },
        { name: "empty" },
      ),
    );
    expect(done).toMatchObject({ files: 4, folders: 1, links: 1, bytes: 2006, leftOut: { count: 0 } });
    expect(names()).toEqual(["a", "d", "d/e", "d/e/f", "d/l", "empty", "h"]);
    expect([text("a"), text("h"), readlinkSync(w.at("d/l"))]).toEqual(["one", "one", "../a"]);
    // A hard link becomes a file of its own.
    expect([statSync(w.at("a")).mode & 0o777, statSync(w.at("h")).mode & 0o777, statSync(w.at("a")).nlink]).toEqual([
      0o755, 0o755, 1,
    ]);
  });

  it("takes what tar and bsdtar's kin make, with long names and other scripts", async () => {
    const source = join(w.root, "..", "w", "source");
    const long = `${"n".repeat(150)}/${"m".repeat(200)}`;
    mkdirSync(join(source, long), { recursive: true });
    writeFileSync(join(source, long, "ä€😀"), "deep");
    for (const format of ["gnu", "pax", "ustar"]) {
      if (format === "ustar") execFileSync("rm", ["-rf", join(source, "n".repeat(150))]);
      writeFileSync(join(source, "plain"), format);
      const archive = execFileSync("tar", [`--format=${format}`, "-C", source, "-cf", "-", "."], {
        maxBuffer: 1 << 26,
      });
      const target = w.at(format);
      await unpack(archive, { path: target, makeParents: true });
      execFileSync("diff", ["-r", source, target]);
    }
  });

  it("keeps what is there, unless it may be replaced", async () => {
    for (const name of ["a", "b"]) writeFileSync(w.at(name), "old");
    mkdirSync(w.at("folder"));
    const archive = tarOf(
      { name: "a", content: "new" },
      { name: "b", type: "2", link: "a" },
      { name: "c", content: "new" },
      { name: "folder", content: "no" },
      { name: "a/under", content: "no" },
    );
    const kept = await unpack(archive);
    expect(kept).toMatchObject({ files: 1, links: 0 });
    expect(kept.leftOut.first.map(({ name }) => name)).toEqual(["a", "b", "folder", "a/under"]);
    expect([text("a"), text("b"), text("c")]).toEqual(["old", "old", "new"]);
    const replaced = await unpack(archive, { overwrite: true });
    expect(replaced).toMatchObject({ files: 2, links: 1 });
    expect(replaced.leftOut.first.map(({ name }) => name)).toEqual(["folder", "a/under"]);
    expect([text("a"), lstatSync(w.at("b")).isSymbolicLink()]).toEqual(["new", true]);
  });

  it("leaves out what may not be written, with what is in it", async () => {
    const verdict: EntryVerdict = (path) =>
      path.endsWith("/secret") ? "deny" : path.endsWith("/.git") ? "ask" : "allow";
    const done = await unpack(
      tarOf({ name: "secret/a", content: "x" }, { name: ".git/hooks/b", content: "x" }, { name: "c", content: "x" }),
      { verdict },
    );
    expect(done.leftOut.first).toEqual([
      { name: "secret/a", reason: "it may not be written" },
      { name: ".git/hooks/b", reason: "writing it needs a question of its own" },
    ]);
    expect(names()).toEqual(["c"]);
  });

  it("needs its folder, unless it may make it", async () => {
    const archive = tarOf({ name: "a", content: "x" });
    expect(await problemOf(unpack(archive, { path: w.at("new/deep") }))).toMatchObject({ code: "not_found" });
    await unpack(archive, { path: w.at("new/deep"), makeParents: true });
    expect(text("new/deep/a")).toBe("x");
  });

  it("refuses what lies deeper than a tree may be, however its folders come, and makes none of it", async () => {
    const deep = (levels: number) => `${"x/".repeat(levels)}a`;
    for (const entries of [
      [paxHead({ path: deep(1500) }), { name: "f", content: "x" }],
      [paxHead({ path: deep(129) }), { name: "f", content: "x" }],
      [paxHead({ path: deep(129) }), { name: "f", type: "2", link: "b" }],
      [paxHead({ path: deep(128) }), { name: "f", type: "5" }],
    ]) {
      const { code, message } = await problemOf(unpack(tarOf(...entries)));
      expect(code).toBe("resource_exhausted");
      expect(message).toMatch(/^data: entry "x\/.*": more than 128 folders in one another$/u);
      expect(names()).toEqual([]);
    }
    const stepwise = Array.from({ length: 140 }, (_, level) => [
      paxHead({ path: "x/".repeat(level + 1) }),
      { name: "f", type: "5" },
    ]).flat();
    expect((await problemOf(unpack(tarOf(...stepwise)))).code).toBe("resource_exhausted");
    await unpack(tarOf(paxHead({ path: deep(128) }), { name: "f", content: "x" }));
    expect(text(deep(128))).toBe("x");
  });

  it("names the first that were left out, and counts them all", async () => {
    for (let at = 0; at < 150; at += 1) writeFileSync(w.at(`f${at}`), "");
    const done = await unpack(tarOf(...Array.from({ length: 150 }, (_, at) => ({ name: `f${at}`, content: "x" }))));
    expect([done.leftOut.first.length, done.leftOut.count]).toEqual([100, 150]);
  });
});

describe("a hostile archive", () => {
  const good: RawEntry = { name: "before", content: "x" };

  it.each<[string, readonly RawEntry[], string, string]>([
    ["an absolute path", [{ name: "/etc/cron.d/x", content: "x" }], "/etc/cron.d/x", "absolute"],
    ["a path upwards", [{ name: "../outside", content: "x" }], "../outside", "upwards"],
    ["a path upwards in the middle", [{ name: "a/../../outside", content: "x" }], "a/../../outside", "upwards"],
    ["a path upwards that comes back", [{ name: "a/../b", content: "x" }], "a/../b", "upwards"],
    ["a link out", [{ name: "l", type: "2", link: "../outside" }], "l", "leads out"],
    ["a link to an absolute path", [{ name: "l", type: "2", link: "/etc" }], "l", "leads out"],
    ["a link without a target", [{ name: "l", type: "2" }], "l", "leads out"],
    ["a link that climbs late", [{ name: "d/l", type: "2", link: "x/../../../outside" }], "d/l", "leads out"],
    [
      "a way through a link",
      [
        { name: "d/", type: "5" },
        { name: "l", type: "2", link: "d" },
        { name: "l/x", content: "x" },
      ],
      "l/x",
      "through a link",
    ],
    [
      "a link that is then written",
      [
        { name: "l", type: "2", link: "x" },
        { name: "l", content: "x" },
      ],
      "l",
      "twice",
    ],
    ["a hard link out", [{ name: "h", type: "1", link: "../outside" }], "h", "upwards"],
    ["a hard link to an absolute path", [{ name: "h", type: "1", link: "/etc/passwd" }], "h", "absolute"],
    ["a hard link to what was there before", [{ name: "h", type: "1", link: "there" }], "h", "not in the archive"],
    [
      "a hard link to a symbolic one",
      [
        { name: "l", type: "2", link: "before" },
        { name: "h", type: "1", link: "l" },
      ],
      "h",
      "not in the archive",
    ],
    ["a character device", [{ name: "c", type: "3" }], "c", "character-device"],
    ["a block device", [{ name: "b", type: "4" }], "b", "block-device"],
    ["a FIFO", [{ name: "p", type: "6" }], "p", "fifo"],
    ["a GNU sparse file", [{ name: "s", type: "S" }], "s", "of a kind"],
    ["a pax sparse file", [paxHead({ "GNU.sparse.major": "1" }), { name: "s", content: "x" }], "s", "sparse"],
    ["a kind of its own", [{ name: "z", type: "Z" }], "z", "of a kind"],
    [
      "the same name twice",
      [
        { name: "a", content: "1" },
        { name: "./a", content: "2" },
      ],
      "a",
      "twice",
    ],
    [
      "a folder in a file's place",
      [
        { name: "a", content: "1" },
        { name: "a/", type: "5" },
      ],
      "a",
      "twice",
    ],
    ["a name that is not UTF-8", [{ name: Buffer.from([0x61, 0xff]), content: "x" }], "a\ufffd", "UTF-8"],
    [
      "a pax name that is not UTF-8",
      [paxHead({ path: Buffer.from([0x61, 0xff]) }), { name: "x", content: "x" }],
      "a\ufffd",
      "UTF-8",
    ],
    ["a target that is not UTF-8", [{ name: "l", type: "2", link: Buffer.from([0xff]) }], "\ufffd", "UTF-8"],
    ["a pax name that is absolute", [paxHead({ path: "/etc/x" }), { name: "x", content: "x" }], "/etc/x", "absolute"],
    [
      "a global pax name",
      [paxHead({ path: "../x" }, "g"), paxHead({ comment: "" }), { name: "x", content: "x" }],
      "../x",
      "upwards",
    ],
    ["a NUL in a pax name", [paxHead({ path: "a\0b" }), { name: "x", content: "x" }], "a\0b", "NUL"],
    ["a name of no length", [{ name: "./", content: "x" }], "./", "no name"],
    ["a folder with content", [{ name: "d", type: "5", content: "x" }], "d", "no content"],
    [
      "a path that is too long",
      [paxHead({ path: "d/".repeat(3000) + "f" }), { name: "x", content: "x" }],
      "d/d/",
      "longer than",
    ],
    ["a name that is too long", [paxHead({ path: "n".repeat(300) }), { name: "x", content: "x" }], "nnn", "too long"],
  ])("with %s is refused, and the entry named", async (_what, entries, name, reason) => {
    writeFileSync(w.at("there"), "x");
    const problem = await problemOf(unpack(tarOf(good, ...entries)));
    expect(problem).toMatchObject({ code: "invalid_argument", field: "data" });
    expect(problem.message).toContain(JSON.stringify(name).slice(0, -1));
    expect(problem.message).toContain(reason);
    expect(text("before")).toBe("x");
  });

  it("does not write through a link that was there before", async () => {
    symlinkSync("..", w.at("up"));
    symlinkSync("../outside", w.at("file"));
    for (const overwrite of [false, true]) {
      expect(await problemOf(unpack(tarOf({ name: "up/x", content: "x" }), { overwrite }))).toMatchObject({
        code: "invalid_argument",
      });
      expect(await problemOf(unpack(tarOf({ name: "file", content: "x" }), { overwrite }))).toMatchObject({
        code: "invalid_argument",
      });
    }
    expect(readlinkSync(w.at("file"))).toBe("../outside");
  });

  it.each<[string, Buffer]>([
    ["text", Buffer.alloc(5000, "no tar")],
    ["zip", Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(1000)])],
    ["cut in a head", tarOf(good, { name: "a", content: "y".repeat(2000) }).subarray(0, 1100)],
    ["cut in a file", tarOf(good, { name: "a", content: "y".repeat(2000) }).subarray(0, 2048)],
    ["a wrong sum", Buffer.concat([tarOf(good).subarray(0, 1024), Buffer.alloc(512, 1)])],
  ])("that is none (%s) is refused", async (_what, archive) => {
    const problem = await problemOf(unpack(archive));
    expect(problem).toMatchObject({ code: "invalid_argument", field: "data" });
    expect(names().filter((name) => name !== "before")).toEqual([]);
  });

  it("is bounded in its entries and its files, whatever their heads say", async () => {
    const many = tarOf(...Array.from({ length: 11 }, (_, at) => ({ name: `d${at}/`, type: "5" })));
    expect(await problemOf(unpack(many, { maxEntries: 10 }))).toMatchObject({ code: "resource_exhausted" });
    for (const size of [101, 2 ** 33, 2n ** 63n, 2n ** 87n]) {
      const problem = await problemOf(unpack(tarOf({ name: "huge", size }), { maxFileBytes: 100 }));
      expect([size, ["resource_exhausted", "invalid_argument"].includes(problem.code)]).toEqual([size, true]);
      expect(problem.message).toContain('"huge"');
    }
    expect(await problemOf(unpack(tarOf(paxHead({ size: "-5" }), { name: "x" })))).toMatchObject({
      code: "invalid_argument",
    });
    expect(names().filter((name) => !name.startsWith("d"))).toEqual([]);
  });

  it("does not grow in memory by extended heads", async () => {
    const bomb = tarOf({ name: "pax", type: "x", size: 8 * 1024 * 1024 });
    expect(await problemOf(unpack(bomb))).toMatchObject({ code: "invalid_argument" });
  });

  it("of any bytes ends in an answer, and never outside", async () => {
    const archive = tarOf(good, { name: "d/l", type: "2", link: "x" }, paxHead({ path: "p/q" }), {
      name: "f",
      content: "z",
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(archive.length - 1), fc.nat(255)), { maxLength: 4 }),
        async (changes) => {
          const broken = Buffer.from(archive);
          for (const [at, byte] of changes) broken[at] = byte;
          // A head counts only where its sum fits: mend them, so that what is changed is seen.
          for (let at = 0; at < broken.length; at += 512) mendSum(broken.subarray(at, at + 512));
          try {
            await unpack(broken, { overwrite: true });
          } catch (error) {
            if (!(error instanceof Problem)) throw error;
            expect(["invalid_argument", "resource_exhausted", "data_loss"]).toContain(error.code);
          }
          execFileSync("find", [w.root, "-mindepth", "1", "-delete"]);
        },
      ),
      { numRuns: 60 },
    );
  });

  function mendSum(head: Buffer): void {
    if (head.subarray(257, 262).toString() !== "ustar") return;
    head.write("        ", 148);
    head.write(
      `${head
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, "0")}\0 `,
      148,
    );
  }
});

describe("a caller who leaves", () => {
  it("leaves no part of an entry", async () => {
    const controller = new AbortController();
    const archive = tarOf({ name: "a", content: "x" }, { name: "b", content: "y".repeat(100_000) });
    async function* slowly(): AsyncGenerator<Uint8Array> {
      yield archive.subarray(0, 60_000);
      while (!names().includes("a")) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      await new Promise(() => {});
    }
    expect((await problemOf(unpack(slowly(), { signal: controller.signal }))).code).toBe("cancelled");
    expect(names()).toEqual(["a"]);
  });

  it("is told what his stream threw", async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield tarOf({ name: "b", content: "y".repeat(100_000) }).subarray(0, 50_000);
      throw new Problem("invalid_argument", "start: was sent before", { field: "start" });
    }
    expect(await problemOf(unpack(broken()))).toMatchObject({ field: "start" });
    expect(names()).toEqual([]);
  });
});
