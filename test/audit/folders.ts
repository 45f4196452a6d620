import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Mounts a small file system on a new folder. Where that is not permitted the test is skipped, with the reason. */
export function smallDisk(context: TestContext, kibibytes: number): string {
  const folder = temporaryFolder();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kibibytes}k`, "tmpfs", folder], {
    encoding: "utf8",
  });
  if (mounted.status !== 0) context.skip(`a small disk cannot be mounted here: ${mounted.stderr.trim()}`);
  onTestFinished(() => {
    spawnSync("umount", [folder]);
  });
  return folder;
}
