import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { auditIn, entry } from "./fixture.ts";
import { smallDisk } from "./folders.ts";

describe("on a full disk", () => {
  it("nothing opens, a refusal stands, and what was lost is recorded later", async (context) => {
    const folder = smallDisk(context, 1024);
    const troubles: string[] = [];
    const audit = auditIn(folder, { onTrouble: (problem) => troubles.push(problem.message) });
    const open = audit.open(entry("before"));
    fill(join(folder, "ballast"));
    expect(() => {
      for (;;) audit.open(entry("x".repeat(8000)));
    }).toThrow(
      expect.objectContaining({ code: "resource_exhausted", message: "cannot write the audit: the disk is full" }),
    );
    while (troubles.length === 0) audit.refuse(entry("y".repeat(8000), { verdict: "deny" }));
    expect(troubles).toEqual(["cannot write the audit: the disk is full"]);

    rmSync(join(folder, "ballast"));
    audit.close(open, { kind: "done", facts: {} });
    const [closed, note] = audit.query({ limit: 2 }).records;
    expect(closed).toMatchObject({ kind: "closed", entry: open });
    expect(note).toMatchObject({ kind: "note", body: '{"lostRefusals":1}' });
    expect(await audit.verify()).toMatchObject({ ok: true });
    audit.stop();
  });
});

describe("on a read-only file system", () => {
  it("the start is refused and says why", (context) => {
    const folder = smallDisk(context, 1024);
    auditIn(folder).stop();
    spawnSync("mount", ["-o", "remount,ro", folder]);
    expect(() => auditIn(folder)).toThrow(
      expect.objectContaining({ code: "failed_precondition", message: expect.stringMatching(/read-only/) as string }),
    );
  });
});

/** Writes until nothing more fits. */
function fill(path: string): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(4096), { flag: "a" });
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  }
}
