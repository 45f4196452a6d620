import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, linkSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ReadAction } from "../../src/model/action.ts";
import { type Content, detectContent } from "../../src/files/detect-content.ts";
import type { ReadEnd } from "../../src/files/read-file.ts";
import { openFor, statOf } from "./support/acts.ts";
import { makeWorkspace, problemOf, type Workspace } from "./support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace({ maxReadBytes: 1_000_000 });
});
afterEach(() => w.remove());

async function read(name: string, more: Partial<ReadAction> = {}): Promise<{ text: string; end: ReadEnd }> {
  const reading = await openFor(w, w.at(name), more.offset, more.length, more);
  const parts: Uint8Array[] = [];
  for await (const chunk of reading.chunks) parts.push(chunk);
  return { text: Buffer.concat(parts).toString("latin1"), end: reading.end() };
}

const lines = (from: number, count = 0, more: Partial<ReadAction> = {}) => ({ lines: { from, count }, ...more });

describe("a range of lines", () => {
  it.each([
    ["a\nb\nc\n", 1, 0, "a\nb\nc\n", 3, true],
    ["a\nb\nc\n", 2, 1, "b\n", 1, false],
    ["a\nb\nc\n", 3, 5, "c\n", 1, true],
    ["a\nb\nc\n", 4, 0, "", 0, true],
    ["a\nb\nc", 3, 1, "c", 1, true],
    ["a\nb\nc", 2, 2, "b\nc", 2, true],
    ["\n\n", 2, 1, "\n", 1, true],
    ["", 1, 1, "", 0, true],
    ["a\r\nb\r\n", 2, 1, "b\r\n", 1, true],
  ] as const)("of %j from %i, %i of them", async (content, from, count, text, sent, endOfFile) => {
    writeFileSync(w.at("f"), content);
    expect(await read("f", lines(from, count))).toEqual({
      text,
      end: { truncated: false, endOfFile, lines: sent },
    });
  });

  it("crosses chunks, whatever the lines' lengths", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0, 1, 100, 70_000, 262_144), { minLength: 1, maxLength: 12 }),
        fc.nat(12),
        fc.nat(4),
        async (lengths, before, count) => {
          const all = lengths.map((length, at) => `${String.fromCharCode(97 + at).repeat(length)}\n`);
          writeFileSync(w.at("f"), all.join(""));
          const from = Math.min(before, all.length) + 1;
          const wanted = all.slice(from - 1, count === 0 ? undefined : from - 1 + count).join("");
          const { text, end } = await read("f", lines(from, count));
          expect(text === wanted.slice(0, 1_000_000)).toBe(true);
          expect(end.truncated).toBe(wanted.length > 1_000_000);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("past the end says how far the file goes, and leaves nothing open", async () => {
    writeFileSync(w.at("f"), "a\nb");
    const before = readdirSync("/proc/self/fd").length;
    const problem = await problemOf(read("f", lines(4)));
    expect(problem).toMatchObject({ code: "out_of_range", field: "from_line" });
    expect(problem.message).toContain("1 line feeds");
    expect(readdirSync("/proc/self/fd").length).toBe(before);
  });

  it("is refused where a line feed is more than a byte", async () => {
    writeFileSync(w.at("f"), Buffer.from("\ufeffa\nb\n", "utf16le"));
    expect(await problemOf(read("f", lines(2)))).toMatchObject({ code: "failed_precondition", field: "from_line" });
    expect((await read("f")).text).toHaveLength(10);
  });

  it("is cut by a cap, with a mark", async () => {
    writeFileSync(w.at("f"), "aa\nbb\ncc\n");
    expect(await read("f", lines(2, 2, { maxBytes: 4 }))).toEqual({
      text: "bb\nc",
      end: { truncated: true, endOfFile: false, lines: 2 },
    });
    expect((await read("f", lines(2, 2, { maxBytes: 6 }))).end).toEqual({
      truncated: false,
      endOfFile: true,
      lines: 2,
    });
  });
});

describe("a cap", () => {
  it("marks what it cut, and nothing else", async () => {
    writeFileSync(w.at("f"), "0123456789");
    const cases: readonly [Partial<ReadAction>, string, boolean, boolean][] = [
      [{ maxBytes: 4 }, "0123", true, false],
      [{ maxBytes: 4, length: 4 }, "0123", false, false],
      [{ maxBytes: 4, length: 3 }, "012", false, false],
      [{ maxBytes: 10 }, "0123456789", false, true],
      [{ maxBytes: 4, offset: 6 }, "6789", false, true],
      [{ maxBytes: 4, offset: 10 }, "", false, true],
    ];
    for (const [more, text, truncated, endOfFile] of cases)
      expect([more, await read("f", more)]).toEqual([more, { text, end: { truncated, endOfFile, lines: 0 } }]);
  });
});

describe("a hash", () => {
  const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");
  const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString("hex");

  it("is that of the whole file, and comes only where the whole was read", async () => {
    const data = Buffer.alloc(700_000, "abc");
    writeFileSync(w.at("f"), data);
    expect(hex((await read("f", { hash: true })).end.sha256)).toBe(sha256(data));
    for (const more of [{ offset: 1 }, { length: 5 }, { maxBytes: 5 }, lines(1)])
      expect((await read("f", { hash: true, ...more })).end.sha256).toBeUndefined();
    expect((await read("f")).end.sha256).toBeUndefined();
    writeFileSync(w.at("empty"), "");
    expect(hex((await read("empty", { hash: true })).end.sha256)).toBe(sha256(""));
  });

  it("comes with a description, too", async () => {
    writeFileSync(w.at("f"), "abc");
    expect(hex((await statOf(w, w.at("f"), { hash: true })).sha256)).toBe(sha256("abc"));
    expect((await statOf(w, w.at("f"))).sha256).toBeUndefined();
    expect(await problemOf(statOf(w, w.at("."), { hash: true }))).toMatchObject({ code: "failed_precondition" });
    writeFileSync(w.at("large"), Buffer.alloc(1_000_001));
    expect(await problemOf(statOf(w, w.at("large"), { hash: true }))).toMatchObject({ code: "resource_exhausted" });
  });
});

describe("what is told of the content", () => {
  it.each<[string, Buffer, Content]>([
    ["nothing", Buffer.alloc(0), { kind: "text", encoding: "us-ascii" }],
    ["ASCII", Buffer.from("a\tb\r\n\x1b[0m"), { kind: "text", encoding: "us-ascii" }],
    ["UTF-8", Buffer.from("ä€😀"), { kind: "text", encoding: "utf-8" }],
    ["UTF-8 with a mark", Buffer.from("\ufeffa"), { kind: "text", encoding: "utf-8" }],
    ["UTF-16", Buffer.from("\ufeffa", "utf16le"), { kind: "text", encoding: "utf-16le" }],
    ["UTF-16, big", Buffer.from("\ufeffa", "utf16le").swap16(), { kind: "text", encoding: "utf-16be" }],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 97, 0, 0, 0]), { kind: "text", encoding: "utf-32le" }],
    ["Latin-1", Buffer.from("ä", "latin1"), { kind: "text", encoding: "unknown-8bit" }],
    ["a NUL", Buffer.from("a\0b"), { kind: "binary", encoding: "binary" }],
    ["an ELF head", Buffer.from("\x7fELF\x02\x01"), { kind: "binary", encoding: "binary" }],
    [
      "a cut character at the sample's end",
      Buffer.from(`${"a".repeat(8191)}ä`).subarray(0, 8192),
      { kind: "text", encoding: "utf-8" },
    ],
    ["a cut character at the file's end", Buffer.from("aä").subarray(0, 2), { kind: "text", encoding: "unknown-8bit" }],
  ])("%s", (_name, bytes, expected) => {
    expect(detectContent(bytes)).toEqual(expected);
  });

  it("comes from the file's beginning, whatever is read", async () => {
    writeFileSync(w.at("f"), Buffer.concat([Buffer.from([0]), Buffer.alloc(10_000, "x")]));
    expect((await openFor(w, w.at("f"), 9_000)).content).toEqual({ kind: "binary", encoding: "binary" });
  });
});

describe("files that are not what they seem", () => {
  it("reads holes as zeros, and says how much is on the disk", async () => {
    writeFileSync(w.at("f"), "");
    truncateSync(w.at("f"), 600_000);
    const { text } = await read("f");
    expect(text).toBe("\0".repeat(600_000));
    const info = await statOf(w, w.at("f"));
    expect([info.size, info.allocated]).toEqual([600_000, 0]);
  });

  it("reads a hard link like any other name, and says how many there are", async () => {
    writeFileSync(w.at("f"), "x");
    linkSync(w.at("f"), w.at("g"));
    expect((await read("g")).text).toBe("x");
    expect((await statOf(w, w.at("g"))).links).toBe(2);
  });

  it("reads on where the file grows between chunks, and ends where it shrinks", async () => {
    writeFileSync(w.at("f"), Buffer.alloc(300_000, "a"));
    const reading = await openFor(w, w.at("f"));
    let got = 0;
    for await (const chunk of reading.chunks) {
      got += chunk.length;
      if (got < 310_000) appendFileSync(w.at("f"), Buffer.alloc(5_000, "b"));
    }
    expect(got).toBeGreaterThan(305_000);
    expect(reading.end().endOfFile).toBe(true);

    // Far more than is read ahead of what was handed out.
    const much = 8_000_000;
    writeFileSync(w.at("g"), Buffer.alloc(much, "a"));
    const shrinking = await openFor(w, w.at("g"));
    let seen = 0;
    for await (const chunk of shrinking.chunks) {
      seen += chunk.length;
      truncateSync(w.at("g"), 10);
    }
    expect(seen).toBeLessThan(much);
    expect(shrinking.end()).toMatchObject({ truncated: false, endOfFile: true });
  });

  it("reads what has no size", async () => {
    const file = "/sys/kernel/mm/transparent_hugepage/enabled";
    const expected = execFileSync("cat", [file], { encoding: "utf8" });
    const reading = await openFor(w, file as never);
    const parts: Uint8Array[] = [];
    for await (const chunk of reading.chunks) parts.push(chunk);
    expect(Buffer.concat(parts).toString()).toBe(expected);
  });
});
