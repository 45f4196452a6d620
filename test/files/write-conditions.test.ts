import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Problem } from "../../src/model/problem.ts";
import { readText, statOf, writeTo } from "./support/acts.ts";
import { chunksOf, makeWorkspace, problemOf, type Workspace } from "./support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
});
afterEach(() => w.remove());

const text = (name: string) => readFileSync(w.at(name), "utf8");
const sha256 = (data: string) => createHash("sha256").update(data).digest("hex");
const content = (data: string) => ({ kind: "sha256", hex: sha256(data) }) as const;
const modified = async (name: string) => ({ kind: "modified", at: (await statOf(w, w.at(name))).modifiedAt }) as const;

/** Does something in the middle of a write. */
async function* meanwhile(act: () => void): AsyncGenerator<Uint8Array> {
  yield Buffer.from("new");
  act();
}

describe("a write with a condition", () => {
  it("goes on where the file is what it was taken for", async () => {
    writeFileSync(w.at("f"), "old");
    await writeTo(w, w.at("f"), "new", { ifMatch: content("old") });
    expect(text("f")).toBe("new");
    await writeTo(w, w.at("f"), "newer", { ifMatch: await modified("f") });
    expect(text("f")).toBe("newer");
    await writeTo(w, w.at("f"), "!", { ifMatch: content("newer"), disposition: "append" });
    expect(text("f")).toBe("newer!");
  });

  it("is aborted where it is not, where it is gone", async () => {
    writeFileSync(w.at("f"), "old");
    const seen = await modified("f");
    utimesSync(w.at("f"), 1000, 1000);
    for (const ifMatch of [content("other"), seen]) {
      const problem = await problemOf(writeTo(w, w.at("f"), "new", { ifMatch }));
      expect(problem).toMatchObject({ code: "aborted", field: "if_match" });
    }
    rmSync(w.at("f"));
    expect(await problemOf(writeTo(w, w.at("f"), "new", { ifMatch: content("old") }))).toMatchObject({
      code: "aborted",
      field: "if_match",
    });
    expect(readdirSync(w.root)).toEqual([]);
  });

  it.each<[string, () => void]>([
    ["is changed in its place", () => appendFileSync(w.at("f"), "x")],
    [
      "is changed to as many bytes, with its time set back",
      () => {
        writeFileSync(w.at("f"), "OLD");
        utimesSync(w.at("f"), 1000, 1000);
      },
    ],
    [
      "is replaced",
      () => {
        writeFileSync(w.at("g"), "old");
        renameSync(w.at("g"), w.at("f"));
      },
    ],
    ["is removed", () => rmSync(w.at("f"))],
  ])("is aborted where the file %s while it is written", async (_name, act) => {
    writeFileSync(w.at("f"), "old");
    utimesSync(w.at("f"), 1000, 1000);
    const problem = await problemOf(writeTo(w, w.at("f"), meanwhile(act), { ifMatch: content("old") }));
    expect(problem).toMatchObject({ code: "aborted", field: "if_match" });
    expect(readdirSync(w.root).filter((name) => name !== "f")).toEqual([]);
  });

  it("lets of many writers of one version only one through, and loses no edit", async () => {
    for (const how of ["content", "time"] as const) {
      writeFileSync(w.at("f"), "");
      const add = async (word: string): Promise<void> => {
        for (;;) {
          const before = await statOf(w, w.at("f"), { hash: true });
          const old = await readText(w, w.at("f"));
          const ifMatch = how === "content" ? content(old) : ({ kind: "modified", at: before.modifiedAt } as const);
          try {
            await writeTo(w, w.at("f"), chunksOf(old, word), { ifMatch });
            return;
          } catch (error) {
            if (!(error instanceof Problem) || error.code !== "aborted") throw error;
          }
        }
      };
      const words = Array.from({ length: 12 }, (_, at) => `<${at}>`);
      await Promise.all(words.map(add));
      const left = text("f");
      expect([how, words.filter((word) => !left.includes(word)), left.length]).toEqual([
        how,
        [],
        words.join("").length,
      ]);
    }
  });

  it("never gives two versions in a row the same time", async () => {
    writeFileSync(w.at("f"), "");
    const times: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      const { info } = await writeTo(w, w.at("f"), `${round}`);
      times.push(info.modifiedAt);
      expect((await statOf(w, w.at("f"))).modifiedAt).toBe(info.modifiedAt);
    }
    expect(times.filter((time, at) => time === times[at - 1])).toEqual([]);
  });
});

it("tells the hash of what was written, of the whole file for an append", async () => {
  const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString("hex");
  expect(hex((await writeTo(w, w.at("f"), "one", { hash: true })).info.sha256)).toBe(sha256("one"));
  const { info } = await writeTo(w, w.at("f"), chunksOf(" t", "wo"), { hash: true, disposition: "append" });
  expect(hex(info.sha256)).toBe(sha256("one two"));
  expect((await writeTo(w, w.at("f"), "x")).info.sha256).toBeUndefined();
});

it("writes names of any bytes", async () => {
  await writeTo(w, w.at("a\udcff/b\udcfe"), "x", { makeParents: true });
  const raw = readdirSync(Buffer.from(w.root), { encoding: "buffer" });
  expect([...(raw[0] ?? [])]).toEqual([0x61, 0xff]);
  expect(await readText(w, w.at("a\udcff/b\udcfe"))).toBe("x");
  await writeTo(w, w.at("a\udcff/b\udcfe"), "y", { disposition: "append" });
  expect(await readText(w, w.at("a\udcff/b\udcfe"))).toBe("xy");
  expect((await problemOf(writeTo(w, w.at("a\udcff/b\udcfe"), "y", { disposition: "create" }))).code).toBe(
    "already_exists",
  );
  expect(readdirSync(w.journal)).toEqual([]);
});
