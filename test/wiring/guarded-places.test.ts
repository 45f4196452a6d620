import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import type { Scope } from "../../src/model/scope.ts";
import { createGuardedPlaces } from "../../src/wiring/guarded-places.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sp-guard-")));
  for (const folder of [
    ".git/modules/libs/sub/modules/inner",
    ".git/worktrees/tree",
    "a/b/.git",
    "node_modules/x/.git",
    "home",
  ])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of [
    ".git/modules/libs/sub/HEAD",
    ".git/modules/libs/sub/modules/inner/HEAD",
    ".git/worktrees/tree/HEAD",
  ])
    writeFileSync(join(root, file), "");
  mkdirSync(join(root, "tree"));
  writeFileSync(join(root, "tree/.git"), "gitdir: ../.git/worktrees/tree\n");
  symlinkSync("/", join(root, "loop"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function at(name: string): AbsolutePath {
  const path = parseAbsolutePath(join(root, name));
  if (path === undefined) throw new Error(name);
  return path;
}

function scope(name: string, access: Scope["access"] = "rw", lasts: Scope["lasts"] = "session"): Scope {
  return { root: at(name), access, lasts };
}

async function found(scopes: readonly Scope[], homes: readonly AbsolutePath[] = []): Promise<string[]> {
  return (await createGuardedPlaces(homes)(scopes)).map(({ path }) => path.slice(root.length + 1));
}

describe("what is guarded in writable folders", () => {
  test("is in every repository, submodule and linked worktree, and in no package's", async () => {
    const places = await found([scope("")]);
    expect(places).toEqual(
      expect.arrayContaining([
        ".git/config",
        ".git/hooks",
        ".git/modules/libs/sub/config",
        ".git/modules/libs/sub/modules/inner/hooks",
        ".git/worktrees/tree/commondir",
        "a/b/.git/config",
        "a/b/.husky",
        "tree/.git",
        "tree/.envrc",
        ".claude",
      ]),
    );
    expect(places.filter((place) => /node_modules|loop|^a\/\.|^home/.test(place))).toEqual([]);
  });

  test("is nothing where nothing is writable", async () => {
    expect(await found([scope("", "ro")])).toEqual([]);
  });

  test("holds the shells' files of a home that is writable", async () => {
    expect(await found([scope("")], [at("home"), at("../elsewhere")])).toContain("home/.bashrc");
  });

  test.each([
    [".git", [".git/config", ".git/modules/libs/sub/config"], ["a/b/.git/config", ".husky"]],
    [".git/hooks", [".git/hooks"], [".git/config"]],
    ["a/b", [], ["a/b/.git/config", "a/b/.husky"]],
    [".claude", [".claude"], ["a/b/.claude"]],
  ])("is released by a writable scope for %s and what it covers, no more", async (name, gone, kept) => {
    const places = await found([scope(""), scope(name, "rw", "once")]);
    for (const place of gone) expect(places).not.toContain(place);
    expect(places).toEqual(expect.arrayContaining(kept));
  });

  test("is found in a folder with more names than are read", async () => {
    mkdirSync(at("many"));
    for (let index = 0; index < 10_050; index += 1) writeFileSync(join(root, "many", `file-${index}`), "");
    mkdirSync(at("many/.git"));
    expect(await found([scope("")])).toContain("many/.git/config");
  });

  test("stays found where a command makes more repositories than are looked for, also for other folders granted meanwhile", async () => {
    let now = 0;
    const look = createGuardedPlaces([], () => now);
    const scopes = [scope("")];
    expect((await look(scopes)).map(({ path }) => path)).toContain(at("a/b/.git/config"));
    for (let index = 0; index < 70; index += 1) mkdirSync(at(`made-${index}/.git`), { recursive: true });
    const others = [scope(""), scope("../sp-guard-other")];
    expect((await look(others)).map(({ path }) => path)).toContain(at("a/b/.git/config"));
    now = 60_000;
    await look(scopes);
    await expect
      .poll(async () => (await look(scopes)).map(({ path }) => path).join("\n"), { timeout: 30_000 })
      .toContain("/made-");
    expect((await look(scopes)).map(({ path }) => path)).toContain(at("a/b/.git/config"));
    rmSync(at("a/b/.git"), { recursive: true });
    expect((await look([...others, scope("../sp-guard-third")])).map(({ path }) => path)).not.toContain(
      at("a/b/.git/config"),
    );
  });

  test("is looked for again after a while, and not before", async () => {
    let now = 0;
    const look = createGuardedPlaces([], () => now);
    const scopes = [scope("")];
    const before = await look(scopes);
    mkdirSync(at("new/.git"), { recursive: true });
    expect(await look(scopes)).toBe(before);
    now = 60_000;
    // The first one who comes then is not kept waiting.
    await look(scopes);
    await expect
      .poll(async () => (await look(scopes)).map(({ path }) => path), { timeout: 30_000 })
      .toContain(at("new/.git/config"));
  });
});
