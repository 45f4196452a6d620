import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, type TestContext } from "vitest";
import { storeProblem } from "../../src/audit/store-problem.ts";
import { auditIn, entry } from "./fixture.ts";

/** A folder on a btrfs whose subvolume may hold a megabyte: the kernel itself says EDQUOT. Where none can be mounted the test is skipped, with the reason. */
function quotaDisk(context: TestContext): string {
  const base = mkdtempSync(join(tmpdir(), "sallyport-quota-"));
  const disk = join(base, "disk");
  mkdirSync(disk);
  onTestFinished(() => {
    spawnSync("umount", [disk]);
    rmSync(base, { recursive: true, force: true });
  });
  const set = `set -e; truncate -s 128M "${base}/image"; mkfs.btrfs -q "${base}/image"; mount -o loop "${base}/image" "${disk}"
    btrfs quota enable "${disk}"; btrfs subvolume create "${disk}/w"; btrfs qgroup limit 1M "${disk}/w"; sync`;
  const { status, stderr } = spawnSync("sh", ["-c", set], { encoding: "utf8" });
  if (status !== 0) context.skip(`no btrfs with a quota can be mounted here: ${stderr.trim()}`);
  return join(disk, "w");
}

it("a used-up disk quota stops the audit by its name, and nothing opens", (context) => {
  const folder = quotaDisk(context);
  const audit = auditIn(folder);
  audit.open(entry("before"));
  let seen = 0;
  expect(() => {
    for (; seen < 10_000; seen += 1) audit.open(entry("x".repeat(8000)));
  }).toThrow(
    expect.objectContaining({
      code: "resource_exhausted",
      message: expect.stringMatching(/disk quota is used up/) as string,
    }),
  );
  expect(seen).toBeGreaterThan(0);
  expect(() => audit.open(entry("again"))).toThrow(expect.objectContaining({ code: "resource_exhausted" }));
  // The same of a file beside the database.
  let refused: unknown;
  try {
    for (let at = 0; at < 100; at += 1) writeFileSync(join(folder, `f${at}`), Buffer.alloc(100_000), { flush: true });
  } catch (error) {
    refused = error;
  }
  expect(storeProblem(refused, "cannot note it", folder)).toMatchObject({
    code: "resource_exhausted",
    message: "cannot note it: the disk quota is used up",
  });
  audit.stop();
});
