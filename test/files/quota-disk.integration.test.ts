import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";

// A btrfs in a file whose subvolume may hold a megabyte: the kernel itself says EDQUOT.
const base = mkdtempSync(join(tmpdir(), "sallyport-quota-"));
const support = join(import.meta.dirname, "support");
const [journal, trash] = [join(base, "journal"), join(base, "trash")];
afterAll(() => rmSync(base, { recursive: true, force: true }));
beforeEach(() => {
  for (const folder of [journal, trash]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
});

/** Runs shell text in a mount namespace of its own with the workspace `$W` on that file system. */
function withQuota(text: string): { readonly stdout: string; readonly stderr: string; readonly status: number | null } {
  const shell = `set -e; cd "${base}"; rm -f image; truncate -s 128M image; mkfs.btrfs -q image; mkdir -p disk
    mount -o loop image disk; btrfs quota enable disk; btrfs subvolume create disk/w; btrfs qgroup limit 1M disk/w; sync`;
  const set = spawnSync(
    "unshare",
    ["-m", "sh", "-c", `{ ${shell}; } >setup.log 2>&1 || { cat setup.log; exit 99; }; ${text}`],
    {
      encoding: "utf8",
      cwd: base,
      env: { ...process.env, W: join(base, "disk/w") },
    },
  );
  return set;
}

function whyNone(): string {
  const programs = ["unshare", "mkfs.btrfs", "btrfs"].filter((name) => spawnSync("which", [name]).status !== 0);
  if (programs.length > 0) return `no ${programs.join(" and no ")} (btrfs-progs)`;
  const { status, stdout, stderr } = withQuota("true");
  return status === 0 ? "" : `it cannot be mounted: ${(stdout + stderr).trim().split("\n").at(-1) ?? ""}`;
}

const missing = whyNone();
if (missing !== "") console.log(`skipped: a file system with a quota: ${missing}`);

/** The lines that a script says of a quota that is nearly used up by `$W/used`. */
function linesOf(before: string, script: string, ...args: readonly string[]): string[] {
  const words = [process.execPath, join(support, script), ...args].map((word) => `"${word}"`).join(" ");
  const { stdout, stderr } = withQuota(`printf 'old\\n' > "$W/f"; ${before}; ${words}; cat "$W/f"; ls -A "$W"`);
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

describe.skipIf(missing !== "")("a disk quota that is used up", () => {
  it("leaves the old file of a write, and nothing else", () => {
    expect(linesOf("true", "write-large.ts", journal, "$W/f")).toEqual(["resource_exhausted", "old", "f"]);
  });

  it("leaves what was there before a change, and no half of anything", () => {
    const big = 'head -c 600000 /dev/urandom > "$W/big"';
    const lines = linesOf(big, "change-here.ts", "$W", journal, trash, "copy", "copy-over", "edit", "edit-small");
    expect(lines).toEqual([
      "copy: resource_exhausted: ROOT/copy: the disk quota is used up",
      "copy-over: resource_exhausted: ROOT/f: the disk quota is used up",
      "edit: resource_exhausted: ROOT/f: the disk quota is used up",
      "edit-small: done",
      "big f",
      "notes: 0",
      "new",
      "big",
      "f",
    ]);
  });

  it("takes no half of a folder, and lets go what is removed", () => {
    const tree =
      'mkdir -p "$W/tree/sub"; for name in a b c; do head -c 200000 /dev/urandom > "$W/tree/sub/$name"; done';
    const lines = linesOf(tree, "change-here.ts", "$W", journal, trash, "copy-tree", "move-tree");
    expect(lines).toEqual([
      expect.stringMatching(/^copy-tree: resource_exhausted: ROOT\/copy\/sub\/[abc]: the disk quota is used up$/),
      "move-tree: done",
      "f tree2",
      "notes: 0",
      "old",
      "f",
      "tree2",
    ]);
  });
});
