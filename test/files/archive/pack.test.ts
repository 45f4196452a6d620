import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Packing } from "../../../src/files/archive/pack-folder.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { DownloadAction } from "../../../src/model/action.ts";
import type { EntryVerdict } from "../../../src/model/gate-ports.ts";
import { makeTrees } from "../support/trees.ts";
import { makeWorkspace, never, permitFor, problemOf, type Workspace } from "../support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
});
afterEach(() => w.remove());

interface Choices extends Partial<DownloadAction> {
  readonly verdict?: EntryVerdict;
  readonly signal?: AbortSignal;
  readonly maxDownloadBytes?: number;
  readonly maxEntries?: number;
}

async function packing(choices: Choices = {}): Promise<Packing> {
  const { verdict = () => "allow", signal = never, maxDownloadBytes = 1 << 30, maxEntries = 1000, ...more } = choices;
  const trees = await makeTrees({ maxDownloadBytes, maxEntries });
  const action = { kind: "download" as const, path: w.root as AbsolutePath, honorIgnoreFiles: false, ...more };
  return trees.download(permitFor<DownloadAction>(action), () => verdict, signal);
}

interface Packed {
  readonly archive: Buffer;
  readonly end: ReturnType<Packing["end"]>;
}

async function packed(choices: Choices = {}): Promise<Packed> {
  const { chunks, end } = await packing(choices);
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return { archive: Buffer.concat(parts), end: end() };
}

/** What tar(1) says is in it. */
function listed({ archive }: Packed): string[] {
  return execFileSync("tar", ["-tf", "-", "--quoting-style=literal"], { input: archive, encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "");
}

function withFiles(files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(w.at(name)), { recursive: true });
    writeFileSync(w.at(name), content);
  }
}

const reasons = ({ end }: Packed): string[] => end.leftOut.first.map(({ name, reason }) => `${name}: ${reason}`);

describe("a packed folder", () => {
  it("unpacks to the same, with modes, times and long names", async () => {
    const long = `${"n".repeat(150)}/${"m".repeat(200)}/ä€😀`;
    withFiles({ a: "one", "d/e/f": "x".repeat(700_000), [long]: "deep", empty: "" });
    mkdirSync(w.at("hollow"));
    chmodSync(w.at("a"), 0o750);
    utimesSync(w.at("a"), 1000, 1_234_567);
    symlinkSync("../a", w.at("d/l"));
    const found = await packed();
    expect(found.end).toMatchObject({ bytes: 700_007, leftOut: { count: 0 } });
    expect(listed(found)).toHaveLength(found.end.entries);
    const target = join(w.root, "..", "target");
    mkdirSync(target);
    execFileSync("tar", ["-C", target, "-xf", "-"], { input: found.archive });
    execFileSync("diff", ["-r", w.root, target]);
    const shown = execFileSync("stat", ["-c", "%a %Y", join(target, "a")], { encoding: "utf8" }).trim();
    expect(shown).toBe("750 1234567");
  });

  it("says nothing of owners, and makes files of hard links and zeros of holes", async () => {
    withFiles({ a: "x" });
    linkSync(w.at("a"), w.at("b"));
    writeFileSync(w.at("sparse"), "");
    truncateSync(w.at("sparse"), 100_000);
    const found = await packed();
    const lines = execFileSync("tar", ["-tvf", "-"], { input: found.archive, encoding: "utf8" }).trim().split("\n");
    expect(lines.every((line) => / 0\/0 /.test(line))).toBe(true);
    expect(lines.map((line) => line[0])).toEqual(["-", "-", "-"]);
    expect(found.end.bytes).toBe(100_002);
  });

  it("leaves out and names what no archive holds, and links that lead out", async () => {
    withFiles({ "d/a": "x" });
    symlinkSync("/etc/passwd", w.at("abs"));
    symlinkSync("../../x", w.at("d/up"));
    symlinkSync("../d/a", w.at("d/in"));
    execFileSync("mkfifo", [w.at("fifo")]);
    const server = createServer().listen(w.at("socket"));
    await new Promise((done) => server.once("listening", done));
    writeFileSync(Buffer.concat([Buffer.from(`${w.root}/n`), Buffer.from([0xff])]), "x");
    const found = await packed();
    await new Promise((done) => server.close(done));
    expect(listed(found)).toEqual(["d/", "d/a", "d/in"]);
    expect(reasons(found)).toEqual([
      "abs: it is a link that leads out of the folder",
      "d/up: it is a link that leads out of the folder",
      "fifo: it is no file, folder or link",
      "n\udcff: its name is not UTF-8",
      "socket: it is no file, folder or link",
    ]);
  });

  it("does not hold what may not be read, names what asks, and not what is denied", async () => {
    withFiles({ "secret/a": "x", "private/b": "x", c: "x", "d/.env": "x" });
    const verdict: EntryVerdict = (path) =>
      /\/secret(\/|$)|\.env$/.test(path) ? "deny" : path.endsWith("/private") ? "ask" : "allow";
    const found = await packed({ verdict });
    expect(listed(found)).toEqual(["c", "d/"]);
    expect(reasons(found)).toEqual(["private: reading it needs a question of its own"]);
    expect(found.archive.includes("secret") || found.archive.includes(".env")).toBe(false);
  });

  it("keeps to ignore files where it is told to", async () => {
    withFiles({ "node_modules/a": "x", ".git/config": "x", b: "x", ".gitignore": "node_modules/\n" });
    expect(listed(await packed({ honorIgnoreFiles: true }))).toEqual([".gitignore", "b"]);
    expect(listed(await packed())).toContain(".git/config");
  });

  it("does not enter another file system, and says so", async () => {
    const found = await packed({ path: "/dev" as AbsolutePath, maxEntries: 10_000 });
    expect(reasons(found)).toContain("shm: it is another file system");
  });

  it("is bounded", async () => {
    withFiles({ a: "x".repeat(100), b: "x", c: "x" });
    expect(await problemOf(packed({ maxEntries: 2 }))).toMatchObject({ code: "resource_exhausted" });
    expect(await problemOf(packed({ maxDownloadBytes: 50 }))).toMatchObject({ code: "resource_exhausted" });
    expect(await problemOf(packed({ path: w.at("a") }))).toMatchObject({ code: "failed_precondition" });
    expect(await problemOf(packed({ path: w.at("nothing") }))).toMatchObject({ code: "not_found" });
  });
});

describe("what changes while it is packed", () => {
  it("neither breaks the archive nor leads it outside", async () => {
    withFiles({
      "1": "x".repeat(400_000),
      "2/a": "inside",
      "3": "y".repeat(900_000),
      "4": "z".repeat(900_000),
      "5": "gone",
    });
    mkdirSync(join(w.root, "..", "outside"));
    writeFileSync(join(w.root, "..", "outside", "a"), "outside");
    const { chunks, end } = await packing();
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) {
      if (parts.length === 0) {
        renameSync(w.at("2"), w.at("2.real"));
        symlinkSync("../outside", w.at("2"));
        truncateSync(w.at("3"), 10);
        appendFileSync(w.at("4"), "more");
        execFileSync("rm", [w.at("5")]);
      }
      parts.push(chunk);
    }
    const archive = Buffer.concat(parts);
    const names = execFileSync("tar", ["-tf", "-"], { input: archive, encoding: "utf8" }).trim().split("\n");
    expect(names).not.toContain("5");
    expect(archive.includes("outside")).toBe(false);
    expect(end().bytes).toBeGreaterThan(400_000);
  });

  it("a file that becomes shorter is filled with zeros, and named", async () => {
    withFiles({ a: "x".repeat(3_000_000) });
    const { chunks, end } = await packing();
    let size = 0;
    for await (const chunk of chunks) {
      truncateSync(w.at("a"), 10);
      size += chunk.length;
    }
    expect(size % 512).toBe(0);
    expect(end().bytes).toBe(3_000_000);
    expect(end().leftOut.first).toEqual([
      { name: "a", reason: "it became shorter while it was read: its end is zeros" },
    ]);
  });
});

describe("a reader who leaves", () => {
  it("leaves nothing open", async () => {
    withFiles({ a: "x".repeat(5_000_000), b: "y" });
    const before = readdirSync("/proc/self/fd").length;
    const { chunks } = await packing();
    for await (const chunk of chunks) if (chunk.length > 0) break;
    expect(readdirSync("/proc/self/fd").length).toBe(before);
  });

  it("ends it by his signal", async () => {
    withFiles({ a: "x".repeat(5_000_000) });
    const controller = new AbortController();
    const { chunks } = await packing({ signal: controller.signal });
    const all = async (): Promise<void> => {
      for await (const chunk of chunks) if (chunk.length > 0) controller.abort();
    };
    expect(await problemOf(all())).toMatchObject({ code: "cancelled" });
  });
});
