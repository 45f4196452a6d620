import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import type { ReadAction } from "../../src/model/action.ts";
import { listOf, openFor, readText, statOf } from "./support/acts.ts";
import { makeWorkspace, permitFor, problemOf, type Workspace } from "./support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace({ maxReadBytes: 1_000_000 });
});
afterEach(() => w.remove());

describe("read", () => {
  it("gives the bytes, the size and the end", async () => {
    const content = Buffer.alloc(600_000, "0123456789");
    writeFileSync(w.at("a"), content);
    const reading = await openFor(w, w.at("a"));
    expect(reading.info).toMatchObject({ name: w.at("a"), kind: "file", size: 600_000 });
    const parts: Uint8Array[] = [];
    for await (const chunk of reading.chunks) {
      expect(chunk.length).toBeLessThanOrEqual(1 << 20);
      parts.push(chunk);
    }
    expect(Buffer.concat(parts).equals(content)).toBe(true);
    expect(reading.end().truncated).toBe(false);
  });

  it("gives a range, and nothing at the end", async () => {
    writeFileSync(w.at("a"), "hello world");
    expect(await readText(w, w.at("a"), 6, 3)).toBe("wor");
    expect(await readText(w, w.at("a"), 6)).toBe("world");
    expect(await readText(w, w.at("a"), 11)).toBe("");
    expect(await problemOf(readText(w, w.at("a"), 12))).toMatchObject({ code: "out_of_range", field: "offset" });
  });

  it("stops at the cap and says so, but not at a length that was asked for or at an exact end", async () => {
    writeFileSync(w.at("big"), Buffer.alloc(1_000_001));
    writeFileSync(w.at("exact"), Buffer.alloc(1_000_000));
    for (const [name, length, bytes, truncated] of [
      ["big", 0, 1_000_000, true],
      ["big", 2_000_000, 1_000_000, true],
      ["big", 10, 10, false],
      ["exact", 0, 1_000_000, false],
    ] as const) {
      const reading = await openFor(w, w.at(name), 0, length);
      let got = 0;
      for await (const chunk of reading.chunks) got += chunk.length;
      expect([name, length, got, reading.end().truncated]).toEqual([name, length, bytes, truncated]);
    }
  });

  it("reads on where a file grows, up to the cap", async () => {
    writeFileSync(w.at("log"), "one ");
    const reading = await openFor(w, w.at("log"));
    appendFileSync(w.at("log"), "two");
    const parts: Uint8Array[] = [];
    for await (const chunk of reading.chunks) parts.push(chunk);
    expect(Buffer.concat(parts).toString()).toBe("one two");
  });

  it("ends where the caller goes away", async () => {
    writeFileSync(w.at("a"), Buffer.alloc(900_000));
    const controller = new AbortController();
    const reading = await w.files.read(
      permitFor<ReadAction>({ kind: "read", path: w.at("a"), offset: 0, length: 0 }),
      controller.signal,
    );
    const work = async () => {
      for await (const chunk of reading.chunks) if (chunk.length > 0) controller.abort();
    };
    expect((await problemOf(work())).code).toBe("cancelled");
  });

  it("refuses what is no regular file, without touching it", async () => {
    mkdirSync(w.at("folder"));
    execFileSync("mkfifo", [w.at("fifo")]);
    const server = createServer().listen(w.at("socket"));
    await new Promise((done) => server.once("listening", done));
    for (const path of [w.at("folder"), w.at("fifo"), w.at("socket"), "/dev/null", "/dev/zero"]) {
      const problem = await problemOf(openFor(w, path as AbsolutePath));
      expect([path, problem.code]).toEqual([path, "failed_precondition"]);
      expect(problem.message).toContain(path);
    }
    await new Promise((done) => server.close(done));
  });

  it("refuses a path that leads through a link, at its end or before", async () => {
    mkdirSync(w.at("real"));
    writeFileSync(w.at("real/secret"), "x");
    symlinkSync(w.at("real"), w.at("way"));
    symlinkSync(w.at("real/secret"), w.at("link"));
    for (const name of ["way/secret", "link", "way"]) {
      expect([name, (await problemOf(openFor(w, w.at(name)))).code]).toEqual([name, "aborted"]);
      expect([name, (await problemOf(statOf(w, w.at(name)))).code]).toEqual([name, "aborted"]);
      expect([name, (await problemOf(listOf(w, w.at(name)))).code]).toEqual([name, "aborted"]);
    }
  });

  it("serves nothing of /proc", async () => {
    for (const path of ["/proc/version", `/proc/${process.pid}/environ`, "/proc/self/environ"] as AbsolutePath[]) {
      expect([path, (await problemOf(openFor(w, path))).code]).toEqual([path, "permission_denied"]);
      expect([path, (await problemOf(statOf(w, path))).code]).toEqual([path, "permission_denied"]);
    }
    expect((await problemOf(listOf(w, "/proc" as AbsolutePath))).code).toBe("permission_denied");
  });

  it("names the path and the reason", async () => {
    writeFileSync(w.at("file"), "x");
    const long = w.at("n".repeat(300));
    for (const [path, code, reason] of [
      [w.at("none"), "not_found", "no such file"],
      [w.at("file/below"), "failed_precondition", "no folder"],
      [long, "invalid_argument", "too long"],
    ] as const) {
      const problem = await problemOf(openFor(w, path));
      expect([problem.code, problem.field]).toEqual([code, "path"]);
      expect(problem.message).toContain(path);
      expect(problem.message).toContain(reason);
    }
  });
});

describe("stat and list", () => {
  it("describes a path", async () => {
    writeFileSync(w.at("a"), "12345", { mode: 0o640 });
    const info = await statOf(w, w.at("a"));
    expect(info).toMatchObject({ name: w.at("a"), kind: "file", size: 5, mode: 0o640 });
    expect(info.modifiedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
    execFileSync("touch", ["-d", "1965-03-01T12:00:00.5Z", w.at("a")]);
    expect((await statOf(w, w.at("a"))).modifiedAt).toBe("1965-03-01T12:00:00.500000000Z");
  });

  it("lists sorted, links as links, up to the limit", async () => {
    mkdirSync(w.at("b"));
    writeFileSync(w.at("a"), "1");
    writeFileSync(w.at("Z"), "");
    symlinkSync("/etc/passwd", w.at("c"));
    execFileSync("mkfifo", [w.at("d")]);
    const all = await listOf(w, w.root as AbsolutePath);
    expect(all.entries.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "Z file",
      "a file",
      "b folder",
      "c symlink",
      "d other",
    ]);
    expect(all.truncated).toBe(false);
    const some = await listOf(w, w.root as AbsolutePath, 2);
    expect([some.entries.map(({ name }) => name), some.truncated]).toEqual([["Z", "a"], true]);
  });

  it("keeps the bytes of a name that is not UTF-8", async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${w.root}/`), Buffer.from([0x61, 0xff])]), "x");
    const { entries } = await listOf(w, w.root as AbsolutePath);
    expect(entries).toHaveLength(1);
    expect(entries[0]?.name).toBe("a\udcff");
    expect(await readText(w, w.at("a\udcff"))).toBe("x");
    expect((await problemOf(readText(w, w.at("a\ufffd")))).code).toBe("not_found");
  });

  it("refuses to list a file", async () => {
    writeFileSync(w.at("a"), "1");
    expect((await problemOf(listOf(w, w.at("a")))).code).toBe("failed_precondition");
  });
});
