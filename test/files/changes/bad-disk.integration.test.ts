import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trashOf } from "../support/changes.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const script = join(import.meta.dirname, "../support/change-here.ts");
let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
  mkdirSync(w.journal);
});
afterEach(() => w.remove());

/** Does changes in the workspace, in a mount namespace of its own; `before` is shell text with `$W` and `$T` for workspace and trash. */
function changeAfter(before: string, ...names: readonly string[]): string[] {
  const shell = `set -e; mkdir -p "$T"; ${before}; exec "$0" "$@"`;
  const args = ["-rm", "sh", "-c", shell, process.execPath, script, w.root, w.journal, trashOf(w), ...names];
  const env = { ...process.env, W: w.root, T: trashOf(w) };
  const { stdout, stderr } = spawnSync("unshare", args, { encoding: "utf8", env });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

const small = 'mount -t tmpfs -o size=512k none "$W"; printf old > "$W/f"';
const tree =
  'mkdir -p "$W/tree/sub"; head -c 200000 /dev/urandom > "$W/tree/sub/a"; head -c 200000 /dev/urandom > "$W/tree/b"';

describe("a full file system", () => {
  it("leaves what was there, and no half of anything", () => {
    const full = `${small}; head -c 300000 /dev/urandom > "$W/big"`;
    expect(changeAfter(full, "copy", "copy-over", "edit", "edit-small")).toEqual([
      "copy: resource_exhausted: ROOT/copy: no space is left on the file system",
      "copy-over: resource_exhausted: ROOT/f: no space is left on the file system",
      "edit: resource_exhausted: ROOT/f: no space is left on the file system",
      "edit-small: done",
      "big f",
      "notes: 0",
    ]);
  });

  it("takes no half of a folder", () => {
    expect(changeAfter(`${small}; ${tree}`, "copy-tree", "move-tree")).toEqual([
      expect.stringMatching(
        /^copy-tree: resource_exhausted: ROOT\/copy\/(b|sub\/a): no space is left on the file system$/,
      ),
      "move-tree: done",
      "f tree2",
      "notes: 0",
    ]);
  });

  it("keeps a folder where it is, where the trash is on it", () => {
    const lines = changeAfter(
      `mount -t tmpfs -o size=300k none "$T"; printf old > "$W/f"; ${tree}`,
      "remove-tree",
      "remove",
    );
    expect(lines).toEqual([
      expect.stringMatching(/^remove-tree: resource_exhausted: ROOT\/tree\S*: no space is left on the file system$/),
      "remove: done",
      "tree",
      "notes: 0",
    ]);
    expect(readdirSync(join(w.root, "tree/sub"))).toEqual(["a"]);
  });

  it("gives up what the trash on another one takes whole", () => {
    expect(changeAfter(`${small}; ${tree}`, "remove-tree", "remove")).toEqual([
      "remove-tree: done",
      "remove: done",
      "",
      "notes: 0",
    ]);
    expect(readdirSync(trashOf(w))).toHaveLength(2);
  });
});

describe("a read-only file system", () => {
  it("says so for every change", () => {
    const lines = changeAfter(
      `printf old > "$W/f"; cp "$W/f" "$W/big"; ${tree}; mount --bind "$W" "$W"; mount -o remount,bind,ro "$W"`,
      "copy",
      "copy-tree",
      "edit-small",
      "mkdir",
      "move",
      "remove",
      "remove-tree",
    );
    expect(lines).toEqual([
      "copy: failed_precondition: ROOT/copy: the file system is read-only",
      "copy-tree: failed_precondition: ROOT/copy: the file system is read-only",
      "edit-small: failed_precondition: ROOT/f: the file system is read-only",
      "mkdir: failed_precondition: ROOT/made: the file system is read-only",
      "move: failed_precondition: ROOT/f: the file system is read-only",
      "remove: failed_precondition: ROOT/f: the file system is read-only",
      "remove-tree: failed_precondition: ROOT/tree: the file system is read-only",
      "big f tree",
      "notes: 0",
    ]);
  });
});

describe("a folder in which something is mounted", () => {
  it.each([
    ["another file system", 'mount -t tmpfs none "$W/tree/sub"'],
    ["a folder of the same file system", 'mkdir "$W/other"; mount --bind "$W/other" "$W/tree/sub"'],
  ])("is not copied, moved or removed: %s", (_what, mount) => {
    const lines = changeAfter(`mkdir -p "$W/tree/sub"; ${mount}`, "copy-tree", "move-tree", "remove-tree");
    const refusal = "failed_precondition: ROOT/tree/sub: another file system is mounted there";
    expect(lines.slice(0, 3)).toEqual(["copy-tree", "move-tree", "remove-tree"].map((name) => `${name}: ${refusal}`));
    expect(lines.at(-1)).toBe("notes: 0");
  });
});

describe("a folder of somebody else", () => {
  it("refuses what its owner did not permit, and names the path", () => {
    writeFileSync(w.at("f"), "old");
    writeFileSync(w.at("big"), "x");
    mkdirSync(w.at("tree"));
    chmodSync(w.root, 0o555);
    chmodSync(w.at("f"), 0o444);
    // Node reads the sources as that user, too, so they must lie where he may look.
    const copy = mkdtempSync(join(tmpdir(), "sallyport-source-"));
    try {
      const isRoot = process.geteuid?.() === 0;
      const house = join(import.meta.dirname, "../../..");
      for (const part of ["src", "test/files/support", "package.json"])
        cpSync(join(house, part), join(copy, part), { recursive: true });
      cpSync(join(house, "node_modules/diff"), join(copy, "node_modules/diff"), { recursive: true });
      chmodSync(copy, 0o755);
      chmodSync(join(w.root, ".."), 0o755);
      const user = 65_534;
      if (isRoot) chownSync(w.journal, user, user);
      mkdirSync(trashOf(w));
      if (isRoot) chownSync(trashOf(w), user, user);
      const acts = ["copy", "copy-over", "edit-small", "mkdir", "move", "remove", "remove-tree"];
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [join(copy, "test/files/support/change-here.ts"), w.root, w.journal, trashOf(w), ...acts],
        { encoding: "utf8", ...(isRoot ? { uid: user, gid: user } : {}) },
      );
      expect(stderr).toBe("");
      const refused = (path: string): string => `permission_denied: ${path}: the file system does not permit it`;
      expect(stdout.trim().split("\n")).toEqual([
        `copy: ${refused("ROOT/copy")}`,
        `copy-over: ${refused("ROOT/f")}`,
        `edit-small: ${refused("ROOT/f")}`,
        `mkdir: ${refused("ROOT/made")}`,
        `move: ${refused("ROOT/f")}`,
        `remove: ${refused("ROOT/f")}`,
        `remove-tree: ${refused("ROOT/tree")}`,
        "big f tree",
        "notes: 0",
      ]);
    } finally {
      chmodSync(w.root, 0o755);
      rmSync(copy, { recursive: true });
    }
  });
});
