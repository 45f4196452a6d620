import { execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "../../src/model/scope.ts";
import { createPool } from "../../src/sandbox/pool.ts";
import type { WarmSandbox } from "../../src/sandbox/warm-sandbox.ts";
import { createGuardedPlaces } from "../../src/wiring/guarded-places.ts";
import { ensureEngine, owner } from "./engine.ts";
import { Bench, finish, never, path, permit, run, spawn } from "./harness.ts";

const author = ["-c", "user.email=a@example.invalid", "-c", "user.name=n"];

/** Runs git outside, as the workspace's owner: as a person does. */
function git(folder: string, ...words: string[]): void {
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["-c", "protocol.file.allow=always", ...author, ...words], {
    cwd: folder,
    env,
    stdio: "pipe",
    ...(process.getuid?.() === 0 ? owner : {}),
  });
}

function own(file: string): string {
  if (process.getuid?.() === 0) chownSync(file, owner.uid, owner.gid);
  return file;
}

/** A repository with a submodule, a linked worktree, another repository in a folder, and an origin to fetch from. */
function makeProject(workspace: string): void {
  for (const name of ["origin", "other", "project"]) own((mkdirSync(join(workspace, name)), join(workspace, name)));
  const project = join(workspace, "project");
  for (const name of ["origin", "other"]) {
    git(join(workspace, name), "init", "-q", "-b", "main");
    git(join(workspace, name), "commit", "-q", "--allow-empty", "-m", "first");
  }
  git(project, "clone", "-q", "../origin", ".");
  git(project, "submodule", "--quiet", "add", "../other", "libs/sub");
  git(project, "commit", "-q", "-m", "sub");
  git(project, "branch", "feature");
  git(project, "worktree", "add", "-q", "tree", "feature");
  own((mkdirSync(join(project, "deep")), join(project, "deep")));
  own((mkdirSync(join(project, "deep/nested")), join(project, "deep/nested")));
  git(join(project, "deep/nested"), "init", "-q", "-b", "main");
  git(join(workspace, "origin"), "commit", "-q", "--allow-empty", "-m", "second");
  git(project, "update-ref", "refs/remotes/origin/side", "HEAD");
  for (const folder of [".hg", ".jj/repo"]) mkdirSync(join(project, folder), { recursive: true });
  for (const file of [".hg/requires", "mise.toml"]) writeFileSync(join(project, file), "");
  for (const made of [".hg", ".jj", ".jj/repo", ".hg/requires", "mise.toml"]) own(join(project, made));
}

const look = createGuardedPlaces([]);

async function guardedSpec(bench: Bench, more: readonly Scope[] = []) {
  const project = path(join(bench.workspace, "project"));
  const origin = path(join(bench.workspace, "origin"));
  const scopes: Scope[] = [
    { root: project, access: "rw", lasts: "session" },
    { root: origin, access: "ro", lasts: "session" },
    ...more,
  ];
  return { workspace: project, scopes, guarded: await look(scopes) };
}

let bench: Bench;
let sandbox: WarmSandbox;
beforeAll(async () => {
  await ensureEngine();
  bench = new Bench();
  makeProject(bench.workspace);
  sandbox = await bench.open(await guardedSpec(bench));
});
afterAll(() => bench[Symbol.asyncDispose]());

function outside(...parts: string[]): string {
  return join(bench.workspace, "project", ...parts);
}

/** Everything that a command may try against a file or a folder; prints what succeeded. */
const attack = `try() { "$@" 2>/dev/null && echo "$*"; }
move() { python3 -c 'import os,sys; os.rename(*sys.argv[1:])' "$@"; }
echo '[core] fsmonitor = ./evil' > /tmp/evil; mkdir -p own; echo x > own/evil; mkdir -p own/folder
for p in "$@"; do
  if test -d "$p"; then
    try cp own/evil "$p/evil"; try mkdir "$p/evil"; try ln own/evil "$p/evil"; try ln -s /tmp "$p/evil"
    try rmdir "$p"; try move own/folder "$p"
  else
    try sh -c 'echo x >> "$1"' _ "$p"; try move own/evil "$p"; try ln -f own/evil "$p"; try ln -sf own/evil "$p"; try ln "$p" own/second
    try truncate -s 0 "$p"; try rm -f "$p"
  fi
  try move "$p" own/moved; try chmod 777 "$p"; try touch "$p"
  parent=$(dirname "$p")
  while test "$parent" != .; do try move "$parent" own/parent; parent=$(dirname "$parent"); done
done; true`;

async function survivors(places: readonly string[]): Promise<string> {
  const { stdout } = await run(sandbox, { argv: ["bash", "-c", attack, "attack", ...places] });
  return stdout;
}

describe("what programs outside run or obey cannot be changed", () => {
  test.each([
    ["the repository's configuration", [".git/config", ".git/hooks", ".git/info"]],
    ["a submodule's", [".git/modules/libs/sub/config", ".git/modules/libs/sub/hooks", "libs/sub/.git"]],
    ["a linked worktree's", ["tree/.git", ".git/worktrees/tree/commondir"]],
    ["that of a repository in a subfolder", ["deep/nested/.git/config", "deep/nested/.git/hooks"]],
    ["what is not there yet", [".husky", ".githooks", ".vscode", ".idea", ".envrc", ".claude", ".cursor", ".mcp.json"]],
    [
      "a configuration of one worktree that is not there yet",
      [".git/config.worktree", ".git/worktrees/tree/config.worktree"],
    ],
    ["another version control's", [".hg/hgrc", ".hg/requires", ".jj/repo/config.toml"]],
    ["what a shell that enters the folder runs", ["mise.toml", ".zed"]],
    ["nor there in other repositories", ["deep/nested/.husky", "libs/sub/.vscode", "tree/.envrc"]],
  ])("%s", async (_, places) => {
    expect(await survivors(places)).toBe("");
    for (const place of places) expect(existsSync(outside(place))).toBe(true);
  });

  test("git config says that it cannot, and changes nothing", async () => {
    const before = readFileSync(outside(".git/config"), "utf8");
    const { stderr, exit } = await run(sandbox, "git config core.fsmonitor ./evil");
    expect(exit.code).not.toBe(0);
    expect(stderr).toContain("could not");
    expect(readFileSync(outside(".git/config"), "utf8")).toBe(before);
  });

  test("names that are kept are nothing to git, and belong to the workspace's owner", async () => {
    const { stdout } = await run(sandbox, "git status --porcelain -uall");
    expect(stdout).not.toMatch(/husky|vscode|mcp/);
    expect(lstatSync(outside(".husky"))).toMatchObject({ uid: owner.uid, gid: owner.gid });
  });
});

test("a link on the way to a guarded name is no reason to refuse a sandbox", async () => {
  await using other = new Bench();
  makeProject(other.workspace);
  const project = join(other.workspace, "project");
  renameSync(join(project, ".hg"), join(project, "elsewhere"));
  symlinkSync("elsewhere", join(project, ".hg"));
  writeFileSync(join(project, "elsewhere/hgrc"), "");
  const linked = await other.open(await guardedSpec(other));
  expect((await run(linked, "touch .husky/x || echo kept")).stdout).toBe("kept\n");
});

test("everyday git works", async () => {
  await using other = new Bench();
  makeProject(other.workspace);
  const fresh = await other.open(await guardedSpec(other));
  const everyday = `set -e
    git ${author.join(" ")} commit -q --allow-empty -m one; echo a > a; git add a; git ${author.join(" ")} commit -q -m two
    git checkout -q -b topic; git checkout -q main; git switch -q topic; git merge -q main
    git fetch -q origin; git branch -q --no-track from origin/main; git stash list; git tag t; git gc -q; git log --format=%s -1 origin/main
    git checkout -q main; git checkout -q side; cd tree; git ${author.join(" ")} commit -q --allow-empty -m tree; git status --porcelain
    cd ../libs/sub; git ${author.join(" ")} commit -q --allow-empty -m sub; cd ../../deep/nested; git ${author.join(" ")} commit -q --allow-empty -m nested`;
  const { stdout, stderr, exit } = await run(fresh, everyday);
  expect({ stdout, stderr, code: exit.code }).toEqual({ stdout: "second\n", stderr: "", code: 0 });
});

describe("a grant for the place itself", () => {
  test.each([
    [".git/config", "git config merge.tool less && git config merge.tool"],
    [
      ".git",
      "git config merge.tool less && git config merge.tool && rm -f .git/hooks/* && rmdir .git/hooks && echo less",
    ],
    [".husky", "mkdir -p .husky/_ && echo less > .husky/pre-commit && cat .husky/pre-commit && rm -r .husky"],
  ])("lets a command write %s", async (place, text) => {
    await using other = new Bench();
    makeProject(other.workspace);
    const root = path(join(other.workspace, "project", place));
    const granted = await other.open(await guardedSpec(other, [{ root, access: "rw", lasts: "session" }]));
    const { stdout, stderr, exit } = await run(granted, text);
    expect({ out: stdout.trim().split("\n").at(-1), stderr, code: exit.code }).toEqual({
      out: "less",
      stderr: "",
      code: 0,
    });
    // The rest stays as it is.
    expect((await run(granted, "mkdir .vscode/x")).exit.code).not.toBe(0);
  });
});

describe("names that are kept", () => {
  test("go with the last sandbox, and not before", async () => {
    await using other = new Bench();
    makeProject(other.workspace);
    const spec = await guardedSpec(other);
    const [first, second] = [await other.open(spec), await other.open(spec)];
    await first.close();
    expect((await run(second, "touch .husky/x")).exit.code).not.toBe(0);
    writeFileSync(join(other.workspace, "project/.idea/mine"), "");
    await second.close();
    const left = readdirSync(join(other.workspace, "project")).filter((name) => name.startsWith("."));
    expect(left.sort()).toEqual([".git", ".gitmodules", ".hg", ".idea", ".jj"]);
  });

  test("are taken back by the next start where a crash left them", async () => {
    await using other = new Bench();
    makeProject(other.workspace);
    await other.open(await guardedSpec(other));
    await using next = new Bench({ runtimeFolder: other.runtimeFolder });
    await next.runtime.removeOrphans();
    expect(existsSync(join(other.workspace, "project/.husky"))).toBe(false);
  });
});

describe("in a granted home", () => {
  test("names are kept by files that change nothing for programs outside, and go with the sandbox", async () => {
    await using other = new Bench();
    const home = join(other.workspace, "home");
    own((mkdirSync(home), home));
    writeFileSync(own((writeFileSync(join(home, ".profile"), ""), join(home, ".profile"))), "echo profile\n");
    const scopes: Scope[] = [{ root: path(home), access: "rw", lasts: "session" }];
    const guarded = await createGuardedPlaces([path(home)])(scopes);
    const sandbox = await other.open({ workspace: path(home), scopes, guarded });
    const tries = ".bashrc .bash_profile .profile .zshenv .gitconfig"
      .split(" ")
      .map((name) => `echo evil >> ${name}; rm -f ${name}; mv ${name} x`);
    const { stdout } = await run(sandbox, `${tries.join("; ")}; cat .bashrc .gitconfig .zshenv`);
    expect(stdout).toBe("");
    const env = { PATH: process.env["PATH"], HOME: home };
    expect(execFileSync("bash", ["-lc", "git config --global --list; echo fine"], { env, encoding: "utf8" })).toBe(
      "profile\nfine\n",
    );
    // What somebody outside writes meanwhile is his own.
    writeFileSync(join(home, ".zshrc"), "mine\n");
    await sandbox.close();
    expect(
      readdirSync(home)
        .filter((name) => /^\.(bash|zsh|git|prof)/.test(name))
        .sort(),
    ).toEqual([".profile", ".zshrc"]);
    expect(readFileSync(join(home, ".zshrc"), "utf8")).toBe("mine\n");
  });
});

describe("where something outside replaces what is guarded", () => {
  test.each([
    ["a file", (folder: string) => git(folder, "config", "user.name", "someone")],
    ["a name that is kept", (folder: string) => rmdirSync(join(folder, ".husky"))],
    ["a folder", (folder: string) => renameSync(join(folder, ".git/hooks"), join(folder, ".git/old"))],
  ])("%s, the next command has a sandbox that guards again", async (_, replace) => {
    await using other = new Bench();
    makeProject(other.workspace);
    const spec = other.spec(await guardedSpec(other));
    const pool = createPool({ runtime: other.runtime });
    try {
      const first = await pool.acquire(spec, never);
      replace(join(other.workspace, "project"));
      const second = await pool.acquire(spec, never);
      expect(second).not.toBe(first);
      expect(await pool.acquire(spec, never)).toBe(second);
      const tried = await second.spawn(permit(spec, { text: "git config a.b c; touch .husky/x .git/hooks/x" }), never);
      expect((await finish(tried)).exit.code).not.toBe(0);
      expect(readFileSync(join(other.workspace, "project/.git/config"), "utf8")).not.toContain("[a]");
    } finally {
      await pool.closeAll();
    }
  });
});

test("over the attach stream it is the same", async () => {
  await using other = new Bench({ carrier: "attach" });
  makeProject(other.workspace);
  const attached = await other.open(await guardedSpec(other));
  const process = await spawn(attached, { text: "git config a.b c || touch .husky/x || mv .git old || echo kept" });
  expect((await finish(process)).stdout).toBe("kept\n");
});
