import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import { writeTo } from "./support/acts.ts";
import { makeWorkspace, problemOf, type Workspace } from "./support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace({ maxWriteBytes: 1_000_000 });
});
afterEach(() => {
  // Whatever a test did: no temporary file and no note is left.
  expect(readdirSync(w.root, { recursive: true }).filter((name) => String(name).includes(".sallyport-"))).toEqual([]);
  expect(existsSync(w.journal) ? readdirSync(w.journal) : []).toEqual([]);
  w.remove();
});
const text = (name: string) => readFileSync(w.at(name), "utf8");

/** Chunks that fail, or change something, between two parts. */
async function* interrupted(between: () => void): AsyncGenerator<Uint8Array> {
  yield Buffer.from("new ");
  between();
  yield Buffer.from("bytes");
}

describe("write", () => {
  it("creates once", async () => {
    expect(await writeTo(w, w.at("a"), "1", { disposition: "create", mode: 0o600 })).toMatchObject({
      created: true,
      bytes: 1,
      info: { size: 1, mode: 0o600, kind: "file", name: w.at("a") },
    });
    expect((await problemOf(writeTo(w, w.at("a"), "2", { disposition: "create" }))).code).toBe("already_exists");
    expect(text("a")).toBe("1");
  });

  it("creates only once where two race", async () => {
    const both = await Promise.allSettled([
      writeTo(w, w.at("a"), "1", { disposition: "create" }),
      writeTo(w, w.at("a"), "2", { disposition: "create" }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(text("a")).toBe(both[0]?.status === "fulfilled" ? "1" : "2");
  });

  it("replaces and keeps the mode, but no set-user-ID bit", async () => {
    writeFileSync(w.at("a"), "old");
    chmodSync(w.at("a"), 0o4751);
    expect(await writeTo(w, w.at("a"), "new", { mode: 0o600 })).toMatchObject({
      created: false,
      info: { mode: 0o751 },
    });
    expect([text("a"), statSync(w.at("a")).mode & 0o7777]).toEqual(["new", 0o751]);
  });

  it("gives the mode that was asked for whatever the umask is", async () => {
    const before = process.umask(0o077);
    try {
      await writeTo(w, w.at("a"), "x", { mode: 0o664 });
    } finally {
      process.umask(before);
    }
    expect(statSync(w.at("a")).mode & 0o777).toBe(0o664);
  });

  it("appends, and creates where nothing is", async () => {
    await writeTo(w, w.at("log"), "one ", { disposition: "append" });
    expect(await writeTo(w, w.at("log"), "two", { disposition: "append" })).toMatchObject({
      bytes: 3,
      info: { size: 7 },
    });
    expect(text("log")).toBe("one two");
  });

  it("loses no append: one of two that race is told to try again", async () => {
    writeFileSync(w.at("log"), "0");
    const both = await Promise.allSettled(
      ["1", "2"].map((part) => writeTo(w, w.at("log"), part, { disposition: "append" })),
    );
    const done = both.flatMap(({ status }, index) => (status === "fulfilled" ? [index + 1] : []));
    expect(done.length).toBeGreaterThan(0);
    expect(text("log").split("").toSorted().join("")).toBe(`0${done.join("")}`);
  });

  it("does not append over another writer's bytes", async () => {
    writeFileSync(w.at("log"), "0");
    const chunks = interrupted(() => writeFileSync(w.at("log"), "theirs"));
    expect((await problemOf(writeTo(w, w.at("log"), chunks, { disposition: "append" }))).code).toBe("aborted");
    expect(text("log")).toBe("theirs");
  });

  it("makes folders on the way only where it is told to", async () => {
    expect((await problemOf(writeTo(w, w.at("x/y/z"), "1"))).code).toBe("not_found");
    expect(readdirSync(w.root)).toEqual([]);
    await writeTo(w, w.at("x/y/z"), "1", { makeParents: true });
    expect([text("x/y/z"), statSync(w.at("x/y")).mode & 0o777]).toEqual(["1", 0o755 & ~process.umask()]);
  });

  it("shows a reader all or nothing", async () => {
    writeFileSync(w.at("a"), "old");
    const seen: string[] = [];
    await writeTo(
      w,
      w.at("a"),
      interrupted(() => seen.push(text("a"))),
    );
    expect([seen, text("a")]).toEqual([["old"], "new bytes"]);
  });

  it("leaves a hard link's other name alone", async () => {
    writeFileSync(w.at("a"), "old");
    linkSync(w.at("a"), w.at("b"));
    await writeTo(w, w.at("a"), "new");
    expect([text("a"), text("b")]).toEqual(["new", "old"]);
  });

  it("replaces no folder, link, FIFO or root", async () => {
    mkdirSync(w.at("folder"));
    writeFileSync(w.at("target"), "safe");
    symlinkSync(w.at("target"), w.at("link"));
    symlinkSync("/nowhere", w.at("dangling"));
    execFileSync("mkfifo", [w.at("fifo")]);
    for (const [path, code] of [
      [w.at("folder"), "failed_precondition"],
      [w.at("link"), "aborted"],
      [w.at("dangling"), "aborted"],
      [w.at("fifo"), "failed_precondition"],
      [w.at("target/below"), "failed_precondition"],
      ["/", "failed_precondition"],
    ] as const)
      expect([path, (await problemOf(writeTo(w, path as AbsolutePath, "x"))).code]).toEqual([path, code]);
    expect(text("target")).toBe("safe");
    expect(lstatSync(w.at("link")).isSymbolicLink()).toBe(true);
  });

  it("leaves nothing where the caller fails, goes away or sends too much", async () => {
    writeFileSync(w.at("a"), "old");
    const controller = new AbortController();
    const fails = interrupted(() => {
      throw new Error("the stream broke");
    });
    const stalls: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          controller.abort();
          return new Promise(() => undefined);
        },
      }),
    };
    const tooMuch = async function* () {
      for (let sent = 0; sent < 3; sent += 1) yield Buffer.alloc(400_000);
    };
    for (const [chunks, signal, code] of [
      [fails, undefined, "internal"],
      [stalls, controller.signal, "cancelled"],
      [tooMuch(), undefined, "resource_exhausted"],
    ] as const) {
      const choices = { makeParents: true, ...(signal === undefined ? {} : { signal }) };
      expect((await problemOf(writeTo(w, w.at("deep/er/file"), chunks, choices))).code).toBe(code);
      expect(readdirSync(w.root)).toEqual(["a"]);
    }
    expect(text("a")).toBe("old");
  });

  it("makes 128 folders on the way to a file, and none where more are missing", async () => {
    for (const missing of [129, 1500]) {
      const { code, message } = await problemOf(
        writeTo(w, w.at(`${"x/".repeat(missing)}a`), "1", { makeParents: true }),
      );
      expect([code, message]).toEqual([
        "resource_exhausted",
        `${w.at("x/".repeat(missing).slice(0, -1))}: more than 128 folders on the way to it are missing`,
      ]);
      expect(readdirSync(w.root)).toEqual([]);
    }
    await writeTo(w, w.at(`${"x/".repeat(128)}a`), "1", { makeParents: true });
    expect(text(`${"x/".repeat(128)}a`)).toBe("1");
  });

  it("refuses where the folder was moved or replaced while bytes came", async () => {
    for (const change of [
      () => renameSync(w.at("d"), w.at("moved")),
      () => {
        renameSync(w.at("d"), w.at("moved"));
        symlinkSync("/etc", w.at("d"));
      },
    ]) {
      mkdirSync(w.at("d"));
      expect((await problemOf(writeTo(w, w.at("d/f"), interrupted(change)))).code).toBe("aborted");
      expect(readdirSync(w.at("moved"))).toEqual([]);
      execFileSync("rm", ["-rf", w.at("moved"), w.at("d")]);
    }
  });

  it("refuses where the name became a link or a folder while bytes came", async () => {
    for (const change of [() => symlinkSync("/etc/passwd", w.at("f")), () => mkdirSync(w.at("f"))]) {
      expect((await problemOf(writeTo(w, w.at("f"), interrupted(change)))).code).toBe("aborted");
      execFileSync("rm", ["-rf", w.at("f")]);
    }
  });
});

describe("a hostile neighbour", () => {
  it("cannot put another file in the place of the temporary one", async () => {
    writeFileSync(w.at("theirs"), "theirs");
    const swap = () => {
      const temp = readdirSync(w.root).find((name) => name.startsWith(".sallyport-"));
      renameSync(w.at("theirs"), w.at(temp ?? ""));
    };
    for (const disposition of ["create", "overwrite"] as const) {
      writeFileSync(w.at("theirs"), "theirs");
      expect((await problemOf(writeTo(w, w.at("f"), interrupted(swap), { disposition }))).code).toBe("aborted");
      expect(readdirSync(w.root)).toEqual([]);
    }
  });
});

describe("permission", () => {
  const root = process.geteuid?.() === 0;

  /** Runs as a user who is not root, where the test runs as root. */
  async function unprivileged(work: () => Promise<void>): Promise<void> {
    if (!root) return work();
    execFileSync("chown", ["-R", "65534:65534", w.root, w.journal]);
    process.setegid?.(65_534);
    process.seteuid?.(65_534);
    try {
      await work();
    } finally {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
  }

  beforeEach(() => {
    mkdirSync(w.journal);
    execFileSync("chmod", ["711", `${w.root}/..`]);
  });

  it("refuses a file that may not be written and a folder that may not be changed", async () => {
    writeFileSync(w.at("locked"), "safe", { mode: 0o444 });
    mkdirSync(w.at("d"));
    await unprivileged(async () => {
      chmodSync(w.at("d"), 0o555);
      for (const name of ["locked", "d/new"]) {
        const problem = await problemOf(writeTo(w, w.at(name), "x"));
        expect([name, problem.code]).toEqual([name, "permission_denied"]);
        expect(problem.message).toContain(w.at(name));
        expect(problem.denial).toBeUndefined();
      }
      chmodSync(w.at("d"), 0o755);
    });
    expect(text("locked")).toBe("safe");
  });

  it("writes into a folder that may be searched and changed but not read", async () => {
    mkdirSync(w.at("drop"));
    await unprivileged(async () => {
      chmodSync(w.at("drop"), 0o333);
      await writeTo(w, w.at("drop/f"), "x");
      chmodSync(w.at("drop"), 0o755);
    });
    expect(text("drop/f")).toBe("x");
  });

  it("keeps the owner, and as root gives new files and folders to their folder's owner", async () => {
    writeFileSync(w.at("theirs"), "old");
    const other = root ? 12_345 : (process.geteuid?.() ?? 0);
    if (root) for (const name of ["", "theirs"]) chownSync(w.at(name), other, other);
    await writeTo(w, w.at("theirs"), "new");
    await writeTo(w, w.at("a/b/c"), "new", { makeParents: true });
    for (const name of ["theirs", "a", "a/b", "a/b/c"]) expect([name, statSync(w.at(name)).uid]).toEqual([name, other]);
  });
});
