import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { factsLocate } from "../../src/files/locate.ts";
import { prepareRace, raceActs, raceFaults, secret } from "./support/race-acts.ts";
import { makeTrees, watchIn } from "./support/trees.ts";
import { underSwaps } from "./support/under-swaps.ts";
import { makeWorkspace, type Workspace } from "./support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
  prepareRace(w);
});
afterEach(() => w.remove());

/** Acts, and swaps meanwhile, of each kind. `make soak-files` runs them for as long as wanted. */
const rounds: Readonly<Record<string, number>> = {
  read: 400,
  stat: 400,
  list: 400,
  "list deep": 200,
  "write over": 300,
  "write new": 150,
  append: 100,
  search: 25,
  "search names": 200,
  download: 100,
  upload: 100,
};

/** What a swap may make of an act; an upload names the entry that did not go where it should. */
const expected = new Set(["aborted", "not_found", "invalid_argument"]);

describe("while a process swaps a folder for a link to the outside", () => {
  it.each(Object.entries(rounds))("%s neither shows nor touches what is outside", async (name, count) => {
    const act = (await raceActs(w))[name];
    if (act === undefined) throw new Error(`no such act: ${name}`);
    const { got, refused } = await underSwaps(w.root, act, (acts, swaps) => acts >= count && swaps >= 400);
    expect([...got].filter((text) => text.includes(secret))).toEqual([]);
    expect([...refused].filter((code) => !expected.has(code))).toEqual([]);
    expect(raceFaults(w)).toEqual([]);
    expect(journal()).toEqual([]);
  });

  it("a path is told to lie in one or the other, or to have changed", async () => {
    const locate = async (): Promise<string> => {
      let last = "";
      for (let time = 0; time < 100; time += 1) last = factsLocate(w.at("d/f")).kind;
      return last;
    };
    const { got, refused } = await underSwaps(w.root, locate, (acts, swaps) => acts >= 400 && swaps >= 400);
    expect([...got].filter((kind) => kind !== "file" && kind !== "missing")).toEqual([]);
    expect([...refused].filter((code) => code !== "aborted" && code !== "not_found")).toEqual([]);
  });

  it("a watch names nothing of what is outside", async () => {
    const watch = await watchIn(w, await makeTrees());
    const seen: string[] = [];
    const watching = (async () => {
      for (let change = await watch.next(); change !== "end"; change = await watch.next()) seen.push(change);
    })();
    const touch = async (count: number): Promise<string> => {
      writeFileSync(join(w.root, "..", "outside", "only-outside"), `${count}`);
      return "";
    };
    await underSwaps(w.root, touch, (acts, swaps) => acts >= 2000 && swaps >= 400 && seen.length > 0);
    await watch.stop();
    await watching;
    expect(seen.filter((change) => change.includes("only-outside"))).toEqual([]);
  });

  it("is all that the file service can do", async () => {
    expect(Object.keys(await raceActs(w))).toEqual(Object.keys(rounds));
  });
});

function journal(): string[] {
  try {
    return readdirSync(w.journal);
  } catch {
    // Nothing was written.
    return [];
  }
}
