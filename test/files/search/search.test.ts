import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { SearchAction } from "../../../src/model/action.ts";
import type { EntryVerdict } from "../../../src/model/gate-ports.ts";
import { makeTrees, searchIn, shown } from "../support/trees.ts";
import { makeWorkspace, problemOf, type Workspace } from "../support/workspace.ts";

const trees = await makeTrees();
let w: Workspace;
afterEach(() => w.remove());

function withFiles(files: Readonly<Record<string, string | Buffer>>, verdict?: EntryVerdict): void {
  w = makeWorkspace({}, verdict);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(w.at(name)), { recursive: true });
    writeFileSync(w.at(name), content);
  }
}

async function found(more: Partial<SearchAction>): Promise<string[]> {
  return shown(w, await searchIn(w, trees, more));
}

describe("a search of content", () => {
  it("gives path, line, place, text and what matched in it", async () => {
    withFiles({ "a.txt": "one\ntwo foo\r\nfoo foo\n", "d/b": "no\n" });
    const { hits, end } = await searchIn(w, trees, { pattern: "fo+" });
    expect(hits.map((hit) => ({ ...hit, text: Buffer.from(hit.text).toString() }))).toEqual([
      {
        path: w.at("a.txt"),
        line: 2,
        offset: 4,
        text: "two foo",
        cut: false,
        spans: [{ start: 4, end: 7 }],
        context: false,
      },
      {
        path: w.at("a.txt"),
        line: 3,
        offset: 13,
        text: "foo foo",
        cut: false,
        spans: [
          { start: 0, end: 3 },
          { start: 4, end: 7 },
        ],
        context: false,
      },
    ]);
    expect(end).toBe("complete");
  });

  it("takes text for text, case for nothing, and shows lines around", async () => {
    withFiles({ a: "1\n2\na.b\n4\n5\naxb\nA.B\n" });
    expect(await found({ pattern: "a.b", literal: true })).toEqual(["a:3:a.b"]);
    expect(await found({ pattern: "a.b", literal: true, ignoreCase: true })).toEqual(["a:3:a.b", "a:7:A.B"]);
    const { hits } = await searchIn(w, trees, { pattern: "axb", contextLines: 1 });
    expect(hits.map(({ line, context }) => [line, context])).toEqual([
      [5, true],
      [6, false],
      [7, true],
    ]);
  });

  it("keeps to a glob, to ignore files and to what is not hidden", async () => {
    withFiles({
      "src/a.ts": "x",
      "src/b.js": "x",
      "src/deep/c.ts": "x",
      ".hidden": "x",
      ".git/config": "x",
      "out/d.ts": "x",
      "log.txt": "x",
      ".gitignore": "/out/\n*.txt\n",
    });
    const at = async (more: Partial<SearchAction>) =>
      (await found({ pattern: "x", ...more })).map((hit) => hit.split(":")[0]);
    expect(await at({})).toEqual(["src/a.ts", "src/b.js", "src/deep/c.ts"]);
    expect(await at({ glob: "*.ts" })).toEqual(["src/a.ts", "src/deep/c.ts"]);
    expect(await at({ glob: "src/*.{ts,js}" })).toEqual(["src/a.ts", "src/b.js"]);
    expect(await at({ glob: "[s]rc/a.ts" })).toEqual(["src/a.ts"]);
    // A glob brings nothing back that is ignored.
    expect(await at({ glob: "*.txt" })).toEqual([]);
    expect(await at({ glob: "*.txt", includeIgnored: true })).toEqual(["log.txt"]);
    expect(await at({ includeHidden: true })).toEqual([
      ".gitignore",
      ".hidden",
      "src/a.ts",
      "src/b.js",
      "src/deep/c.ts",
    ]);
    expect(await at({ includeHidden: true, includeIgnored: true })).toContain(".git/config");
    // The files above count, too.
    writeFileSync(w.at(".gitignore"), "/src/deep/\nb.*\n");
    expect(await at({ path: w.at("src") })).toEqual(["src/a.ts"]);
  });

  it("stops at the limit, and says so only where there is more", async () => {
    withFiles({ a: "x\n".repeat(5), b: "x\n".repeat(5) });
    for (const [limit, count, end] of [
      [9, 9, "limit"],
      [10, 10, "complete"],
      [1, 1, "limit"],
    ] as const) {
      const { hits, end: how } = await searchIn(w, trees, { pattern: "x", limit });
      expect([limit, hits.length, how]).toEqual([limit, count, end]);
    }
  });

  it("cuts long lines, and finds what stands behind the cut", async () => {
    withFiles({ a: `${"y".repeat(5000)}needle\n` });
    const { hits } = await searchIn(w, trees, { pattern: "needle" });
    expect(hits).toHaveLength(1);
    expect([hits[0]?.text.length, hits[0]?.cut, hits[0]?.spans]).toEqual([4096, true, []]);
  });

  it("neither follows links nor reads what is no regular file, nor text that is binary", async () => {
    withFiles({ "d/f": "x", binary: Buffer.from("a\0x") });
    symlinkSync(w.at("d"), w.at("l"));
    symlinkSync(w.at("d/f"), w.at("lf"));
    linkSync(w.at("d/f"), w.at("hard"));
    execFileSync("mkfifo", [w.at("fifo")]);
    writeFileSync(w.at("sparse"), "");
    truncateSync(w.at("sparse"), 1 << 30);
    expect(await found({ pattern: "x" })).toEqual(["d/f:1:x", "hard:1:x"]);
  });

  it("finds names and lines of any bytes", async () => {
    withFiles({});
    writeFileSync(Buffer.concat([Buffer.from(`${w.root}/a`), Buffer.from([0xff])]), Buffer.from([0x78, 0xfe, 0x0a]));
    const { hits } = await searchIn(w, trees, { pattern: "x" });
    expect(hits.map(({ path, text }) => [path, [...text]])).toEqual([[w.at("a\udcff"), [0x78, 0xfe]]]);
  });

  it.each([
    ["(", "unclosed"],
    ["[z-a]", "range"],
    ["a{100000}{100000}", "size limit"],
    [String.raw`(?=x)`, "look"],
    ["a\nb", "not allowed"],
  ])("refuses the pattern %j and says why", async (pattern, why) => {
    withFiles({ a: "x" });
    const problem = await problemOf(found({ pattern }));
    expect(problem).toMatchObject({ code: "invalid_argument", field: "pattern" });
    expect(problem.message).toContain(why);
  });

  it.each(["-e", "--pre=sh", "--files", "-f/etc/passwd", "-"])("takes %s for a pattern", async (pattern) => {
    withFiles({ a: `${pattern}\n` });
    expect(await found({ pattern })).toEqual([`a:1:${pattern}`]);
  });

  it("reads no settings, whatever is in the folder", async () => {
    withFiles({ a: "x", ".ripgreprc": "--files\n", ".rgignore": "a\n" });
    process.env["RIPGREP_CONFIG_PATH"] = w.at(".ripgreprc");
    try {
      expect(await found({ pattern: "x", includeIgnored: true })).toEqual(["a:1:x"]);
    } finally {
      delete process.env["RIPGREP_CONFIG_PATH"];
    }
  });

  it("ends where its caller goes away", async () => {
    withFiles({ a: "x\n".repeat(200_000) });
    const controller = new AbortController();
    const searching = searchIn(w, trees, { pattern: "x", limit: 10_000 }, controller.signal);
    controller.abort();
    expect((await problemOf(searching)).code).toBe("cancelled");
  });

  it("says what is missing where there is no search program, and where it does not start", async () => {
    withFiles({ a: "x" });
    const without = await makeTrees({ ripgrep: undefined });
    expect(await problemOf(searchIn(w, without, { pattern: "x" }))).toMatchObject({ code: "failed_precondition" });
    expect((await searchIn(w, without, { glob: "a" })).hits).toHaveLength(1);
    for (const ripgrep of [w.at("nothing"), w.at("a"), "/bin/false"])
      expect([ripgrep, await problemOf(searchIn(w, await makeTrees({ ripgrep }), { pattern: "x" }))]).toMatchObject([
        ripgrep,
        { code: "unavailable" },
      ]);
  });

  it("refuses a file, and a folder that is not there", async () => {
    withFiles({ a: "x" });
    expect(await problemOf(found({ pattern: "x", path: w.at("a") }))).toMatchObject({ code: "failed_precondition" });
    expect(await problemOf(found({ pattern: "x", path: w.at("b") }))).toMatchObject({ code: "not_found" });
  });
});

describe("a search of names", () => {
  it("finds what fits a glob, in order, of every kind", async () => {
    withFiles({ "src/a.ts": "", "src/b/a.ts": "", "a.js": "", ".x/a.ts": "", "out/a.ts": "", ".gitignore": "out\n" });
    symlinkSync("nowhere", w.at("z.ts"));
    const at = async (more: Partial<SearchAction>) =>
      (await searchIn(w, trees, more)).hits.map(({ path, line }) => {
        expect(line).toBe(0);
        return path.slice(w.root.length + 1);
      });
    expect(await at({ glob: "*.ts" })).toEqual(["src/a.ts", "src/b/a.ts", "z.ts"]);
    expect(await at({ glob: "src/*.ts" })).toEqual(["src/a.ts"]);
    expect(await at({ glob: "*.ts", includeHidden: true })).toEqual([".x/a.ts", "src/a.ts", "src/b/a.ts", "z.ts"]);
    expect(await at({ glob: "*.ts", includeIgnored: true })).toEqual(["out/a.ts", "src/a.ts", "src/b/a.ts", "z.ts"]);
    expect(await at({ glob: "b" })).toEqual(["src/b"]);
    expect((await searchIn(w, trees, { limit: 2 })).end).toBe("limit");
    expect((await searchIn(w, trees, { glob: "*.ts", limit: 3 })).end).toBe("complete");
  });
});

describe("what may not be read", () => {
  const verdict: EntryVerdict = (path) =>
    /\/secret$|\/denied\.txt$/.test(path) ? "deny" : /\/private(\/|$)/.test(path) ? "ask" : "allow";
  const files = { "secret/a": "x", "secret/deep/b": "x", "denied.txt": "x", "private/c": "x", open: "x" };

  it("shows nowhere, neither as a name nor in a count", async () => {
    withFiles(files, verdict);
    expect(await found({ pattern: "x" })).toEqual(["open:1:x"]);
    expect(await found({ glob: "*" })).toEqual(["open:0:", "private:0:"]);
    expect((await searchIn(w, trees, { pattern: "x", limit: 1 })).end).toBe("complete");
    expect((await searchIn(w, trees, { glob: "[a-o]*", limit: 1 })).end).toBe("complete");
  });

  it("is not even looked at, where its place is known by name", async () => {
    withFiles({ "p[1]*/a": "x", "p1/a": "x", b: "x" }, (path) => (path.includes("[1]") ? "deny" : "allow"));
    const hidden = [w.at("p[1]*"), "/elsewhere" as AbsolutePath, w.root as AbsolutePath];
    expect(shown(w, await searchIn(w, await makeTrees({ hidden: () => hidden }), { pattern: "x" }))).toEqual([
      "b:1:x",
      "p1/a:1:x",
    ]);
  });
});
