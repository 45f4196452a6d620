import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import type { ListAction } from "../../src/model/action.ts";
import type { EntryVerdict } from "../../src/model/gate-ports.ts";
import { listOf } from "./support/acts.ts";
import { makeWorkspace, problemOf, type Workspace } from "./support/workspace.ts";

let w: Workspace;
afterEach(() => w.remove());

/** A workspace with these files in it. */
function withFiles(files: readonly string[], verdict?: EntryVerdict): void {
  w = makeWorkspace({}, verdict);
  for (const file of files) {
    mkdirSync(dirname(w.at(file)), { recursive: true });
    writeFileSync(w.at(file), file);
  }
}

async function names(more: Partial<ListAction>, limit = 1000, folder: string = w.root): Promise<string[]> {
  const { entries } = await listOf(w, folder as AbsolutePath, limit, more);
  return entries.map(({ name }) => name);
}

/** All pages of a list, each its names. */
async function pages(limit: number, more: Partial<ListAction>, between: () => void = () => {}): Promise<string[][]> {
  const found: string[][] = [];
  let cursor: string | undefined;
  do {
    const asked = cursor === undefined ? more : { ...more, cursor };
    const { entries, truncated, cursorAfter } = await listOf(w, w.root as AbsolutePath, limit, asked);
    found.push(entries.map(({ name }) => name));
    cursor = truncated ? cursorAfter(entries.at(-1)) : undefined;
    between();
  } while (cursor !== undefined);
  return found;
}

const tree = ["a/b/c", "a/z", "a.txt", "b", "a/b.c/d"];
const whole = ["a", "a/b", "a/b/c", "a/b.c", "a/b.c/d", "a/z", "a.txt", "b"];

describe("a list", () => {
  it("goes as deep as it is told, a folder right before what is in it", async () => {
    withFiles(tree);
    expect(await names({ depth: 1 })).toEqual(["a", "a.txt", "b"]);
    expect(await names({ depth: 2 })).toEqual(["a", "a/b", "a/b.c", "a/z", "a.txt", "b"]);
    expect(await names({ depth: 2048 })).toEqual(whole);
    expect(await names({ depth: 2048, order: { by: "name", descending: true } })).toEqual(whole.toReversed());
  });

  it("comes in pages that make the whole, in every order", async () => {
    withFiles(tree);
    for (const [at, name] of tree.entries()) {
      writeFileSync(w.at(name), "x".repeat((at * 7) % 3));
      utimesSync(w.at(name), 1000, 1000 + ((at * 5) % 3));
    }
    for (const by of ["name", "size", "modified"] as const)
      for (const descending of [false, true]) {
        const more = { depth: 9, order: { by, descending } };
        const once = await names(more);
        expect(once.toSorted()).toEqual(whole.toSorted());
        for (const limit of [1, 3, 8]) expect((await pages(limit, more)).flat()).toEqual(once);
      }
  });

  it("neither repeats nor skips what stays, whatever comes and goes between pages", async () => {
    withFiles(tree);
    let round = 0;
    const found = await pages(2, { depth: 9 }, () => {
      round += 1;
      writeFileSync(w.at(`a/${String(round)}-new`), "");
      rmSync(w.at("a/b"), { recursive: true, force: true });
    });
    const staying = ["a", "a/b.c", "a/b.c/d", "a/z", "a.txt", "b"];
    expect(found.flat().filter((name) => staying.includes(name))).toEqual(staying);
    expect(new Set(found.flat()).size).toBe(found.flat().length);
  });

  it("refuses a cursor of another list, and one that nobody made", async () => {
    withFiles(tree);
    const { cursorAfter } = await listOf(w, w.root as AbsolutePath, 1, { depth: 2 });
    const cursor = cursorAfter(undefined);
    for (const more of [{ cursor }, { depth: 2, honorIgnoreFiles: true, cursor }, { depth: 2, cursor: "AAAA" }])
      expect(await problemOf(names(more))).toMatchObject({ code: "invalid_argument", field: "cursor" });
    expect(await names({ depth: 2, cursor })).toEqual(["a/b", "a/b.c", "a/z", "a.txt", "b"]);
  });

  it("names links and does not follow them, and does not enter other file systems", async () => {
    withFiles(["d/f"]);
    symlinkSync(w.at("d"), w.at("l"));
    expect(await names({ depth: 9 })).toEqual(["d", "d/f", "l"]);
    expect(await names({ depth: 1 }, 1000, "/dev")).toContain("shm");
    const below = await names({ depth: 2 }, 10_000, "/dev");
    expect(below.filter((name) => name.startsWith("shm/") || name.startsWith("pts/"))).toEqual([]);
  });

  it("leaves out what ignore files name, and says nothing of it", async () => {
    withFiles(["x.log", "keep.log", "sub/y.log", "sub/z", "build/o", ".git/config", "deep/sub/build/p"]);
    writeFileSync(w.at(".gitignore"), "*.log\n/build/\n!keep.log\n");
    writeFileSync(w.at("sub/.ignore"), "!y.log\n");
    expect(await names({ depth: 9, honorIgnoreFiles: true })).toEqual([
      ".gitignore",
      "deep",
      "deep/sub",
      "deep/sub/build",
      "deep/sub/build/p",
      "keep.log",
      "sub",
      "sub/.ignore",
      "sub/y.log",
      "sub/z",
    ]);
    // Those of the folders above count too.
    expect(await names({ depth: 9, honorIgnoreFiles: true }, 1000, w.at("deep"))).toEqual([
      "sub",
      "sub/build",
      "sub/build/p",
    ]);
    writeFileSync(w.at(".gitignore"), "/deep/sub/build\n");
    expect(await names({ depth: 9, honorIgnoreFiles: true }, 1000, w.at("deep"))).toEqual(["sub"]);
  });

  it("refuses an ignore file of a size that nobody needs, and reads none that is a link or a FIFO", async () => {
    withFiles(["a", "b"]);
    execFileSync("mkfifo", [w.at(".ignore")]);
    writeFileSync(w.at("real"), "a\n");
    symlinkSync(w.at("real"), w.at(".gitignore"));
    expect(await names({ honorIgnoreFiles: true })).toEqual([".gitignore", ".ignore", "a", "b", "real"]);
    rmSync(w.at(".gitignore"));
    writeFileSync(w.at(".gitignore"), "a\n".repeat(5001));
    expect(await problemOf(names({ honorIgnoreFiles: true }))).toMatchObject({ code: "resource_exhausted" });
    writeFileSync(w.at(".gitignore"), "#".repeat(300_000));
    expect(await problemOf(names({ honorIgnoreFiles: true }))).toMatchObject({ code: "resource_exhausted" });
  });
});

describe("what rules say below a folder", () => {
  const verdict: EntryVerdict = (path) =>
    /\/secret(\/|$)/.test(path) ? "deny" : /\/private(\/|$)/.test(path) ? "ask" : "allow";

  it("hides what is denied, and does not enter what asks", async () => {
    withFiles(["secret/a", "private/b", "c/secret", "c/d"], verdict);
    expect(await names({ depth: 9 })).toEqual(["c", "c/d", "private"]);
    const { truncated } = await listOf(w, w.root as AbsolutePath, 3, { depth: 9 });
    // Not even a count of it shows.
    expect(truncated).toBe(false);
  });

  it("does not read an ignore file that may not be read", async () => {
    withFiles(["a"], (path) => (path.endsWith(".gitignore") ? "deny" : "allow"));
    writeFileSync(w.at(".gitignore"), "a\n");
    expect(await names({ honorIgnoreFiles: true })).toEqual(["a"]);
  });
});

describe("odd names", () => {
  it("lists names of any bytes and of the greatest length, and leaves out what no path can name", async () => {
    withFiles([]);
    const long = "n".repeat(255);
    const folders = Array.from({ length: 15 }, () => long).join("/");
    mkdirSync(w.at(folders), { recursive: true });
    // Deeper than a path can say: made from within.
    const deeper = 'cd "$1" && for i in 1 2 3; do mkdir "$2" && cd "$2" || exit 1; done; : > f';
    execFileSync("bash", ["-c", deeper, "bash", w.at(folders), long]);
    const found = await names({ depth: 2048 });
    expect(found.length).toBeGreaterThanOrEqual(15);
    expect(found.every((name) => Buffer.byteLength(`${w.root}/${name}`) <= 4095)).toBe(true);
    expect(found.some((name) => name.endsWith("/f"))).toBe(false);
    // node:fs does not remove what has no path.
    execFileSync("rm", ["-rf", w.at(long)]);
    writeFileSync(Buffer.concat([Buffer.from(`${w.root}/a`), Buffer.from([0xff])]), "x");
    mkdirSync(Buffer.concat([Buffer.from(`${w.root}/b`), Buffer.from([0xc3])]));
    writeFileSync(Buffer.concat([Buffer.from(`${w.root}/b`), Buffer.from([0xc3]), Buffer.from("/in")]), "x");
    expect((await names({ depth: 2 })).filter((name) => !name.startsWith("n"))).toEqual([
      "a\udcff",
      "b\udcc3",
      "b\udcc3/in",
    ]);
  });
});
