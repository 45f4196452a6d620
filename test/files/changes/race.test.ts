import { fork } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileChanges } from "../../../src/files/file-changes.ts";
import { removeTree } from "../../../src/files/tree/remove-tree.ts";
import { Problem } from "../../../src/model/problem.ts";
import {
  changesOf,
  copyTo,
  editAt,
  makeAt,
  moveTo,
  removeAt,
  replaced,
  restoreTo,
  trashOf,
} from "../support/changes.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

// While these run, another process swaps the folder `d` for a link to the outside and back, as fast as it can.

const rounds = 150;
let w: Workspace;
let changes: FileChanges & { readonly troubles: unknown[] };
let outside: string;
beforeEach(() => {
  w = makeWorkspace();
  changes = changesOf(w);
  outside = join(w.root, "..", "outside");
  mkdirSync(outside);
  for (let file = 0; file < rounds; file += 1) writeFileSync(join(outside, `f${file}`), "outside");
});
afterEach(() => {
  // Nothing came there, nothing went away, nothing was changed.
  expect(readdirSync(outside)).toHaveLength(rounds);
  for (const name of readdirSync(outside)) expect(readFileSync(join(outside, name), "utf8")).toBe("outside");
  w.remove();
});

/** A folder `d` with a file for each round, and the link `l` that it is swapped for. */
function plant(folder: string): void {
  mkdirSync(join(folder, "d"), { recursive: true });
  for (let file = 0; file < rounds; file += 1) writeFileSync(join(folder, "d", `f${file}`), "inside");
  symlinkSync(outside, join(folder, "l"));
}

/** Does an act in each round against the swapping process, at least as often as that swaps a few hundred times. Gives the refusals by their code. */
async function underSwaps(folder: string, act: (round: number) => Promise<unknown>): Promise<Set<string>> {
  const swapper = fork(join(import.meta.dirname, "../support/swapper.ts"), [folder]);
  const gone = new Promise((done) => swapper.once("exit", done));
  const refused = new Set<string>();
  try {
    await new Promise((done) => swapper.once("message", done));
    for (let round = 0; round < rounds; round += 1) {
      expect(swapper.exitCode).toBeNull();
      try {
        await act(round);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        refused.add(error.code);
      }
    }
  } finally {
    swapper.kill("SIGKILL");
    await gone;
  }
  return refused;
}

function unexpected(refused: Set<string>, ...expected: readonly string[]): string[] {
  return [...refused].filter((code) => !["aborted", "not_found", ...expected].includes(code));
}

/** What the regular files in the workspace and in the trash hold. Links are not followed, as a recursive readdir would. */
function contents(folders: readonly string[] = [w.root, trashOf(w)]): Set<string> {
  const found = new Set<string>();
  for (const folder of folders)
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const path = join(folder, name);
      const stats = lstatSync(path);
      if (stats.isDirectory()) for (const text of contents([path])) found.add(text);
      if (stats.isFile() && name !== "about.json") found.add(readFileSync(path, "utf8"));
    }
  return found;
}

describe("while a process swaps a folder for a link to the outside", () => {
  it("no file is moved out of or into the outside", async () => {
    plant(w.root);
    mkdirSync(w.at("e"));
    for (let file = 0; file < rounds; file += 1) writeFileSync(w.at(`e/g${file}`), "inside");
    const refused = await underSwaps(w.root, (round) =>
      round % 2 === 0
        ? moveTo(changes, w.at(`d/f${round}`), w.at(`e/f${round}`))
        : moveTo(changes, w.at(`e/g${round}`), w.at(`d/g${round}`)),
    );
    expect([unexpected(refused), [...contents()]]).toEqual([[], ["inside"]]);
  });

  it("no file is copied out of or into the outside", async () => {
    plant(w.root);
    mkdirSync(w.at("e"));
    writeFileSync(w.at("mine"), "inside");
    const refused = await underSwaps(w.root, (round) =>
      round % 2 === 0
        ? copyTo(changes, w.at(`d/f${round}`), w.at(`e/f${round}`))
        : copyTo(changes, w.at("mine"), w.at(`d/g${round}`)),
    );
    expect([unexpected(refused), [...contents()]]).toEqual([[], ["inside"]]);
  });

  it("no file outside is edited, and no folder is made there", async () => {
    plant(w.root);
    const refused = await underSwaps(w.root, (round) =>
      round % 2 === 0
        ? editAt(changes, w.at(`d/f${round}`), replaced("side", "SIDE"))
        : makeAt(changes, w.at(`d/new${round}/deep`), true),
    );
    expect(unexpected(refused)).toEqual([]);
  });

  it("nothing outside is removed, and nothing is restored to there", async () => {
    plant(w.root);
    const refused = await underSwaps(w.root, async (round) => {
      const { id, path } = await removeAt(changes, w.at(`d/f${round}`));
      await restoreTo(changes, id, path);
    });
    expect([unexpected(refused), [...contents()], changes.troubles]).toEqual([[], ["inside"], []]);
  });

  it("no copy of a folder around it holds anything from outside", async () => {
    for (const name of ["d", "e"]) mkdirSync(w.at(`tree/${name}`), { recursive: true });
    writeFileSync(w.at("tree/d/f0"), "inside");
    symlinkSync(outside, w.at("tree/l"));
    const refused = await underSwaps(w.at("tree"), async (round) => {
      await copyTo(changes, w.at("tree"), w.at(`copy${round}`), { recursive: true });
      rmSync(w.at(`copy${round}`), { recursive: true });
    });
    expect([unexpected(refused), [...contents()]]).toEqual([[], ["inside"]]);
    expect(readdirSync(w.root)).toEqual(["tree"]);
  });

  it("what is deleted for good is deleted without what is outside", async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const name = `tree${turn}`;
      plant(w.at(name));
      const swapper = fork(join(import.meta.dirname, "../support/swapper.ts"), [w.at(name)], { stdio: "ignore" });
      const gone = new Promise((done) => swapper.once("exit", done));
      await new Promise((done) => swapper.once("message", done));
      const folder = await open(w.root, "r");
      try {
        // It may be faster than this for ever; then it is stopped first.
        await removeTree(folder, name).catch((error: unknown) => {
          if (!(error instanceof Error && "code" in error && error.code === "ENOTEMPTY")) throw error;
        });
        swapper.kill("SIGKILL");
        await gone;
        await removeTree(folder, name);
      } finally {
        await folder.close();
      }
      expect(lstatSync(w.at(name), { throwIfNoEntry: false })).toBeUndefined();
    }
  });
});
