import { existsSync, linkSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { array, assert, constantFrom, pre, property } from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyEdit } from "../../../src/files/changes/apply-edit.ts";
import { findAll } from "../../../src/files/changes/find-all.ts";
import type { FileEdit } from "../../../src/files/changes/file-edit.ts";
import { unifiedDiff } from "../../../src/files/changes/unified-diff.ts";
import type { FileChanges } from "../../../src/files/file-changes.ts";
import { changesOf, editAt, replaced } from "../support/changes.ts";
import { makeWorkspace, problemOf, type Workspace } from "../support/workspace.ts";

let w: Workspace;
let changes: FileChanges;
beforeEach(() => {
  w = makeWorkspace();
  changes = changesOf(w);
});
afterEach(() => {
  expect(readdirSync(w.root).filter((name) => name.includes(".sallyport-"))).toEqual([]);
  if (existsSync(w.journal)) expect(readdirSync(w.journal)).toEqual([]);
  w.remove();
});

const text = (name: string): string => readFileSync(w.at(name), "utf8");
const patchOf = (before: string, after: string): string => unifiedDiff("/x", before, after, 1e9).text;

describe("an edit", () => {
  it("replaces what is there exactly as often as expected, and gives the diff back", async () => {
    writeFileSync(w.at("f"), "one two\nthree two\n", { mode: 0o640 });
    const { diff, info, bytes } = await editAt(changes, w.at("f"), replaced("two", "2", 2));
    expect(text("f")).toBe("one 2\nthree 2\n");
    expect(diff.text).toBe(
      `--- ${w.at("f")}\n+++ ${w.at("f")}\n@@ -1,2 +1,2 @@\n-one two\n-three two\n+one 2\n+three 2\n`,
    );
    expect([info.size, bytes, statSync(w.at("f")).mode & 0o777]).toEqual([14, 14, 0o640]);
  });

  it.each([
    [1, "it is there 2 times, and once was expected"],
    [3, "it is there 2 times, and 3 times was expected"],
  ])("refuses where %i were expected", async (count, why) => {
    writeFileSync(w.at("f"), "two two");
    const { code, message, field } = await problemOf(editAt(changes, w.at("f"), replaced("two", "2", count)));
    expect([code, message, field]).toEqual([
      "failed_precondition",
      `replacements[0].old_text: ${why}`,
      "replacements[0].old_text",
    ]);
    expect(text("f")).toBe("two two");
  });

  it("is one step: where its last part does not fit, nothing happens", async () => {
    writeFileSync(w.at("f"), "a b");
    const { ino } = statSync(w.at("f"));
    const list = [
      { oldText: "a", newText: "b", count: 1 },
      { oldText: "b", newText: "c", count: 2 },
      { oldText: "gone", newText: "", count: 1 },
    ];
    const problem = await problemOf(editAt(changes, w.at("f"), { kind: "replacements", list }));
    expect(problem.field).toBe("replacements[2].old_text");
    expect([text("f"), statSync(w.at("f")).ino]).toEqual(["a b", ino]);
    await editAt(changes, w.at("f"), { kind: "replacements", list: list.slice(0, 2) });
    expect(text("f")).toBe("c c");
  });

  it("takes no text for a pattern", async () => {
    writeFileSync(w.at("f"), "a.c $& abc");
    await editAt(changes, w.at("f"), replaced("a.c", "$&$1$`"));
    expect(text("f")).toBe("$&$1$` $& abc");
  });

  it("keeps line ends, a byte order mark and a missing last line end", async () => {
    writeFileSync(w.at("f"), "\ufeffa\r\nb");
    await editAt(changes, w.at("f"), replaced("a", "x"));
    expect(text("f")).toBe("\ufeffx\r\nb");
    await editAt(changes, w.at("f"), { kind: "patch", text: patchOf("\ufeffx\nb", "\ufeffx\nc"), fuzz: 0 });
    expect(text("f")).toBe("\ufeffx\r\nc");
  });

  it("that changes nothing writes nothing", async () => {
    writeFileSync(w.at("f"), "a");
    const { ino } = statSync(w.at("f"));
    const { diff, bytes } = await editAt(changes, w.at("f"), replaced("a", "a"));
    expect([diff.text, bytes, statSync(w.at("f")).ino]).toEqual(["", 0, ino]);
  });

  it("applies a diff whose lines have moved, and refuses one whose lines are not there", async () => {
    const body = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    const patch = patchOf(`${body.join("\n")}\n`, `${body.with(20, "changed").join("\n")}\n`);
    writeFileSync(w.at("f"), `new\n`.repeat(7) + `${body.join("\n")}\n`);
    await editAt(changes, w.at("f"), { kind: "patch", text: patch, fuzz: 0 });
    expect(text("f").split("\n")[27]).toBe("changed");
    const again = await problemOf(editAt(changes, w.at("f"), { kind: "patch", text: patch, fuzz: 0 }));
    expect([again.code, again.field]).toEqual(["failed_precondition", "patch"]);
  });

  it("lets context differ only where that is asked for", async () => {
    writeFileSync(w.at("f"), "A\nb\nc\nd\ne\n");
    const edit = (fuzz: number): FileEdit => ({ kind: "patch", text: patchOf("a\nb\nc\nd\n", "a\nb\nc\nX\n"), fuzz });
    expect((await problemOf(editAt(changes, w.at("f"), edit(0)))).code).toBe("failed_precondition");
    await editAt(changes, w.at("f"), edit(1));
    expect(text("f")).toBe("A\nb\nc\nX\ne\n");
  });

  it.each([
    ["", "holds no change"],
    ["nothing of a diff", "holds no change"],
    ["--- a\n+++ b\n@@ -1 +1 @@\n-a\n", "is no unified diff"],
    ["@@ -4000000000,0 +4000000000,1 @@\n+x\n", "without any line of context"],
    ["--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n", "makes or removes a file"],
    ["--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "makes or removes a file"],
    ["--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1 @@\n-a\n+b\n", "names more than one file"],
    ["diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "holds no change"],
  ])("refuses the diff %j", async (patch, why) => {
    writeFileSync(w.at("f"), "a\n");
    const { code, message, field } = await problemOf(
      editAt(changes, w.at("f"), { kind: "patch", text: patch, fuzz: 0 }),
    );
    expect([code, message, field]).toEqual(["invalid_argument", expect.stringContaining(why), "patch"]);
  });

  it("refuses what is no UTF-8 text, no file, or too large", async () => {
    writeFileSync(w.at("latin"), Buffer.from([0x61, 0xff]));
    writeFileSync(w.at("binary"), "a\0b");
    mkdirSync(w.at("d"));
    writeFileSync(w.at("big"), "a".repeat(100));
    const limited = changesOf(w, { maxFileBytes: 99 });
    for (const [name, who, code] of [
      ["latin", changes, "failed_precondition"],
      ["binary", changes, "failed_precondition"],
      ["d", changes, "failed_precondition"],
      ["gone", changes, "not_found"],
      ["big", limited, "resource_exhausted"],
    ] as const) {
      const problem = await problemOf(editAt(who, w.at(name), replaced("a", "b")));
      expect([name, problem.code, problem.message.includes(w.at(name))]).toEqual([name, code, true]);
    }
  });

  it("does not grow beyond what may be edited, also where a short text stands for a long one", async () => {
    writeFileSync(w.at("f"), "a".repeat(100_000));
    const problem = await problemOf(editAt(changes, w.at("f"), replaced("a", "b".repeat(1 << 20), 100_000)));
    expect([problem.code, problem.field]).toEqual(["resource_exhausted", "replacements[0].new_text"]);
    expect(statSync(w.at("f")).size).toBe(100_000);
  });

  it("ends where placing a diff takes too long", async () => {
    writeFileSync(w.at("f"), "a\n".repeat(200_000));
    const lines = 1000;
    const patch = `@@ -1,${lines + 1} +1,${lines} @@\n${" a\n".repeat(lines)}-b\n`;
    const problem = await problemOf(editAt(changes, w.at("f"), { kind: "patch", text: patch, fuzz: 0 }));
    expect([problem.code, problem.field]).toEqual(["resource_exhausted", "patch"]);
  });

  it("gives a new file to the name, so that another name keeps what it had", async () => {
    writeFileSync(w.at("f"), "a");
    linkSync(w.at("f"), w.at("other"));
    await editAt(changes, w.at("f"), replaced("a", "b"));
    expect([text("f"), text("other")]).toEqual(["b", "a"]);
  });

  it("is not done where a person saw something else", async () => {
    writeFileSync(w.at("f"), "a");
    const { code, message } = await problemOf(editAt(changes, w.at("f"), replaced("a", "b"), "0".repeat(64)));
    expect([code, message, text("f")]).toEqual(["aborted", `${w.at("f")}: changed since it was shown`, "a"]);
  });

  it("loses no edit: of many at a time, each is done or refused", async () => {
    writeFileSync(w.at("f"), "0");
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        editAt(changes, w.at("f"), { kind: "replacements", list: [{ oldText: "0", newText: `0 ${at}.`, count: 1 }] }),
      ),
    );
    const done = results.flatMap(({ status }, at) => (status === "fulfilled" ? [at] : []));
    expect(done.length).toBeGreaterThan(0);
    const kept =
      text("f")
        .match(/\d+(?=\.)/g)
        ?.map(Number) ?? [];
    expect(kept.toSorted((a, b) => a - b)).toEqual(done);
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "aborted" });
  });
});

describe("the search for old texts", () => {
  it("finds what indexOf finds, overlaps once", () => {
    const text = array(constantFrom("a", "b", "ab", "\n"), { maxLength: 30 }).map((parts) => parts.join(""));
    assert(
      property(text, text, (all, wanted) => {
        pre(wanted !== "");
        const found: number[] = [];
        for (let at = all.indexOf(wanted); at !== -1; at = all.indexOf(wanted, at + wanted.length)) found.push(at);
        expect(findAll(all, wanted, 1e6)).toEqual(found);
        expect(findAll(all, wanted, 1)).toEqual(found.slice(0, 1));
      }),
      { numRuns: 3000 },
    );
  });

  it("does not count for ever", async () => {
    writeFileSync(w.at("f"), "a".repeat(100_000));
    const { message } = await problemOf(editAt(changes, w.at("f"), replaced("a", "b")));
    expect(message).toContain("it is there 1001 times or more, and once was expected");
  });

  it("ends where there are too many for a text of this size", async () => {
    const text = "x".repeat(2_000_000);
    const list = Array.from({ length: 256 }, () => ({ oldText: text, newText: text, count: 1 }));
    writeFileSync(w.at("f"), text);
    const { code, field } = await problemOf(editAt(changes, w.at("f"), { kind: "replacements", list }));
    expect([code, field]).toEqual(["resource_exhausted", "replacements"]);
  });
});

describe("a diff", () => {
  const line = constantFrom("a\n", "b\n", "c\n", "\n", "a", "\r\n");
  const body = array(line, { maxLength: 40 }).map((lines) => lines.join(""));

  it("applied to what it was made from gives what it was made for", () => {
    assert(
      property(body, body, (before, after) => {
        pre(before !== after && before !== "");
        expect(applyEdit(before, { kind: "patch", text: patchOf(before, after), fuzz: 0 }, 1e9)).toBe(after);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(["4", "5", "100", "99999999999999999999"])("finds its place from a line behind the end: %s", (start) => {
    const text = `@@ -${start},2 +${start},2 @@\n b\n-c\n+C\n`;
    expect(applyEdit("a\nb\nc\n", { kind: "patch", text, fuzz: 0 }, 1e9)).toBe("a\nb\nC\n");
    const missing = text.replace("-c", "-x");
    expect(() => applyEdit("a\nb\nc\n", { kind: "patch", text: missing, fuzz: 0 }, 1e9)).toThrow("does not fit");
  });

  it("is looked for behind the end where the part before it was found far down", () => {
    const before = `${"x\n".repeat(50)}a\nb\n`;
    const text = "@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -40,2 +40,2 @@\n c\n-d\n+D\n";
    expect(() => applyEdit(before, { kind: "patch", text, fuzz: 0 }, 1e9)).toThrow("does not fit");
  });

  it("has numbers", () => {
    for (const head of ["@@ -NaN,3 +1,3 @@", "@@ -,1 +1 @@", "@@ @@"])
      expect(() => applyEdit("a\n", { kind: "patch", text: `--- a\n+++ a\n${head}\n a\n`, fuzz: 0 }, 1e9)).toThrow(
        /^patch: /,
      );
  });

  it("is cut after a whole line, and says so", () => {
    const { text: cut, truncated } = unifiedDiff("/f", "", "line\n".repeat(100), 200);
    expect([truncated, cut.endsWith("+line\n"), Buffer.byteLength(cut) <= 200]).toEqual([true, true, true]);
  });

  it("of texts that differ everywhere is one block, and still applies", () => {
    const before = Array.from({ length: 120_000 }, (_, at) => `${at * 7919}\n`).join("");
    const after = Array.from({ length: 120_000 }, (_, at) => `${at * 104_729}!\n`).join("");
    expect(applyEdit(before, { kind: "patch", text: patchOf(before, after), fuzz: 0 }, 1e9)).toBe(after);
  });
});
