import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeWorkspace, type Workspace } from "./support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace();
});
afterEach(() => w.remove());

/** Writes a megabyte to `f` of a file system that is mounted for this only, in a namespace of its own; gives the code and what is left there. */
function writeOn(before: string): string[] {
  const script = join(import.meta.dirname, "support/write-large.ts");
  const shell = `mount -t tmpfs -o size=256k none "$2" && ${before} && "$0" "$1" "$3" "$2/f"; cat "$2/f"; ls -A "$2"`;
  const run = spawnSync("unshare", ["-rm", "sh", "-c", shell, process.execPath, script, w.root, w.journal], {
    encoding: "utf8",
  });
  expect(run.stderr).toBe("");
  return run.stdout.trim().split("\n");
}

describe("a file system that does not take it", () => {
  it("that is full keeps the old file, and nothing else", () => {
    expect(writeOn('printf "old\\n" > "$2/f"')).toEqual(["resource_exhausted", "old", "f"]);
  });

  it("that is read-only says so", () => {
    expect(writeOn('printf "old\\n" > "$2/f" && mount -o remount,ro "$2"')).toEqual([
      "failed_precondition",
      "old",
      "f",
    ]);
    expect(readFileSync("/proc/self/mounts", "utf8")).not.toContain(w.root);
  });
});
