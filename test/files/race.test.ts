import { fork } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Problem } from "../../src/model/problem.ts";
import { listOf, readText, statOf, writeTo } from "./support/acts.ts";
import { makeWorkspace, type Workspace } from "./support/workspace.ts";

const rounds = 400;
let w: Workspace;
let outside: string;
beforeEach(() => {
  w = makeWorkspace();
  outside = join(w.root, "..", "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "f"), "outside, and longer");
  mkdirSync(w.at("d"));
  writeFileSync(w.at("d/f"), "inside");
  symlinkSync(outside, w.at("l"));
});
afterEach(() => w.remove());

/** Runs an act against the swapping process until both did enough; gives what came out, refusals by their code. */
async function underSwaps<T>(act: (count: number) => Promise<T>): Promise<{ got: T[]; refused: Set<string> }> {
  const swapper = fork(join(import.meta.dirname, "support/swapper.ts"), [w.root]);
  const gone = new Promise((done) => swapper.once("exit", done));
  const progress = { swaps: 0 };
  swapper.on("message", (count) => {
    progress.swaps = Number(count);
  });
  const got: T[] = [];
  const refused = new Set<string>();
  try {
    await new Promise((done) => swapper.once("message", done));
    const enough = progress.swaps + rounds;
    for (let count = 0; count < rounds || progress.swaps < enough; count += 1) {
      expect(swapper.exitCode).toBeNull();
      try {
        got.push(await act(count));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        refused.add(error.code);
      }
    }
  } finally {
    swapper.kill("SIGKILL");
    await gone;
  }
  return { got, refused };
}

const expected = new Set(["aborted", "not_found"]);

describe("while a process swaps a folder for a link to the outside", () => {
  it("no read gives what is outside", async () => {
    const { got, refused } = await underSwaps(() => readText(w, w.at("d/f")));
    expect(got.filter((text) => text !== "inside")).toEqual([]);
    expect([...refused].filter((code) => !expected.has(code))).toEqual([]);
  });

  it("no stat and no list describes what is outside", async () => {
    const { got, refused } = await underSwaps(async () => {
      const [{ size }, { entries }] = [await statOf(w, w.at("d/f")), await listOf(w, w.at("d"))];
      return [size, ...entries.map((entry) => entry.size)];
    });
    expect(got.flat().filter((size) => size !== "inside".length)).toEqual([]);
    expect([...refused].filter((code) => !expected.has(code))).toEqual([]);
  });

  it("no write lands outside, and none leaves a part of itself", async () => {
    const { got, refused } = await underSwaps(async (count) => {
      const path = w.at(count % 2 === 0 ? "d/f" : `d/new/${count}`);
      return writeTo(w, path, "inside", { makeParents: true });
    });
    expect(readdirSync(outside)).toEqual(["f"]);
    expect(readFileSync(join(outside, "f"), "utf8")).toBe("outside, and longer");
    expect([...refused].filter((code) => !expected.has(code))).toEqual([]);
    expect(got.every(({ bytes }) => bytes === 6)).toBe(true);
    expect(readdirSync(w.root, { recursive: true }).filter((name) => String(name).includes(".sallyport-"))).toEqual([]);
    expect(readdirSync(w.journal)).toEqual([]);
  });
});
