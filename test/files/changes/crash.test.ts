import { fork, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changesOf, restoreTo, trashOf } from "../support/changes.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const kills = 2;
const files = 12;
let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
});
afterEach(() => w.remove());

/** Kills a process that does one kind of change again and again, after it has done `rounds` of them. */
async function killIn(kind: string, rounds: number, trash: string): Promise<void> {
  const child = fork(join(import.meta.dirname, "../support/change-forever.ts"), [kind, w.root, w.journal, trash]);
  const gone = new Promise((done) => child.once("exit", done));
  const far = new Promise((done) => {
    child.on("message", (round) => {
      if (Number(round) >= rounds) done(round);
    });
  });
  await Promise.race([far, gone]);
  expect(child.exitCode).toBeNull();
  child.kill("SIGKILL");
  await gone;
}

function plant(name: string): void {
  mkdirSync(w.at(`${name}/sub`), { recursive: true });
  for (let file = 0; file < files; file += 1)
    writeFileSync(w.at(`${name}/${file % 2 === 0 ? "" : "sub/"}${file}`), `${file}`.repeat(1000));
}

function isWhole(name: string): boolean {
  const held = readdirSync(w.at(name), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return (
    held.length === files &&
    held.every((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8") === entry.name.repeat(1000))
  );
}

/** What is left of temporary things, in the workspace, in the trash and in the notes. */
function strays(trash: string): string[] {
  const names = [w.root, trash, w.journal]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }));
  return names.filter((name) => /\.sallyport-|^[0-9a-f]{32}$/.test(name) && !existsSync(join(trash, name, "entry")));
}

describe("after kill -9, and the sweep of the next start", () => {
  it("an edit was done or not", async () => {
    let least = 0;
    writeFileSync(w.at("f"), `0\n${"x".repeat(200_000)}`);
    for (let kill = 0; kill < kills; kill += 1) {
      await killIn("edit", kill, trashOf(w));
      await w.files.sweep();
      const [count, rest] = readFileSync(w.at("f"), "utf8").split("\n");
      expect([Number(count) > least, rest?.length, strays(trashOf(w))]).toEqual([true, 200_000, []]);
      least = Number(count);
    }
  });

  it("a copy that was half done is gone", async () => {
    plant("tree");
    const script = join(import.meta.dirname, "../support/change-forever.ts");
    const child = spawn(process.execPath, [script, "copy", w.root, w.journal, trashOf(w)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const gone = new Promise((done) => child.once("exit", done));
    await new Promise((done) => child.stdout.once("data", done));
    child.kill("SIGKILL");
    await gone;
    const [half = ""] = readdirSync(w.root).filter((name) => name !== "tree");
    expect(half).toMatch(/^\.sallyport-[0-9a-f]{32}\.tmp$/);
    expect(readdirSync(w.at(half), { recursive: true }).length).toBeGreaterThan(2);
    expect(await w.files.sweep()).toBe(1);
    expect([readdirSync(w.root), isWhole("tree"), strays(trashOf(w))]).toEqual([["tree"], true, []]);
  });

  it("a folder was moved or not", async () => {
    plant("tree");
    for (let kill = 0; kill < kills; kill += 1) {
      await killIn("move", kill, trashOf(w));
      await w.files.sweep();
      const [name = "", ...more] = readdirSync(w.root);
      expect([more, isWhole(name), strays(trashOf(w))]).toEqual([[], true, []]);
      rmSync(w.at(name), { recursive: true });
      plant("tree");
    }
  });

  it.each([
    ["of the same file system", false],
    ["of another file system", true],
  ])("a removed folder is where it was, or in a trash %s, and whole", async (_where, across) => {
    if (across && statSync("/dev/shm").dev === statSync(w.root).dev) {
      process.stderr.write("not looked at: /dev/shm is no file system of its own here\n");
      return;
    }
    const trash = across ? mkdtempSync("/dev/shm/sallyport-trash-") : trashOf(w);
    try {
      plant("tree");
      for (let kill = 0; kill < kills; kill += 1) {
        await killIn("remove", kill, trash);
        await w.files.sweep();
        const changes = changesOf(w, { folders: [trash] });
        const [held, ...more] = await changes.trash();
        expect([more, existsSync(w.at("tree"))]).toEqual([[], held === undefined]);
        if (held !== undefined) await restoreTo(changes, held.id, w.at("tree"));
        expect([readdirSync(w.root), isWhole("tree"), strays(trash)]).toEqual([["tree"], true, []]);
        expect(readdirSync(trash)).toEqual([]);
      }
    } finally {
      if (across) rmSync(trash, { recursive: true });
    }
  });
});

describe("the note of a move between file systems", () => {
  const key = "0123456789abcdef0123456789abcdef";
  const temp = `.sallyport-${key}.tmp`;

  /** The state in which a crash left it: what is there of the original, the original moved aside, and the copy. */
  function leave(there: readonly ("original" | "aside" | "staged")[]): void {
    mkdirSync(w.journal);
    mkdirSync(w.at("from"));
    mkdirSync(w.at("to"));
    const places = { original: w.at("from/d"), aside: w.at(`from/${temp}`), staged: w.at(`to/${temp}`) };
    writeFileSync(join(w.journal, key), JSON.stringify(places));
    for (const name of there) {
      mkdirSync(places[name]);
      writeFileSync(join(places[name], "f"), name);
    }
  }

  const left = () => [readdirSync(w.at("from")), readdirSync(w.at("to")), readdirSync(w.journal)];

  it.each<[readonly ("original" | "aside" | "staged")[], number, string[]]>([
    [["original"], 0, ["d"]],
    [["original", "staged"], 1, ["d"]],
    [["aside", "staged"], 1, ["d"]],
    [["aside"], 1, []],
    [[], 0, []],
  ])("with %j is finished or taken back", async (there, swept, from) => {
    leave(there);
    expect(await w.files.sweep()).toBe(swept);
    expect(left()).toEqual([from, [], []]);
    expect(await w.files.sweep()).toBe(0);
  });

  it("is taken back where the folder of the copy is another by now: nobody knows whether the copy was whole", async () => {
    leave(["aside", "staged"]);
    renameSync(w.at("to"), w.at("elsewhere"));
    expect(await w.files.sweep()).toBe(1);
    expect([readdirSync(w.at("from")), readFileSync(w.at("from/d/f"), "utf8")]).toEqual([["d"], "aside"]);
  });

  it("is kept where something else has the original's name: nothing is lost", async () => {
    leave(["original", "aside", "staged"]);
    expect(await w.files.sweep()).toBe(0);
    expect(left()).toEqual([[temp, "d"], [temp], [key]]);
  });

  it("touches nothing that has not its own temporary name", async () => {
    leave(["original"]);
    for (const wrong of [
      { original: w.at("x"), aside: w.at("from"), staged: w.at("to") },
      { original: w.at("from/x"), aside: w.at(`to/${temp}`), staged: w.at(`to/${temp}`) },
      { original: 1, aside: null },
      "{",
    ]) {
      writeFileSync(join(w.journal, key), typeof wrong === "string" ? wrong : JSON.stringify(wrong));
      expect(await w.files.sweep()).toBe(0);
    }
    expect([readdirSync(w.at("from")), readdirSync(w.at("to"))]).toEqual([["d"], []]);
  });
});
