import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { auditIn, entry, tamper } from "./fixture.ts";
import { temporaryFolder } from "./folders.ts";

/** A stopped audit of six records: a start, an opened and closed, a refused, an opened and closed. */
function folderOfSix(): string {
  const folder = temporaryFolder();
  const audit = auditIn(folder);
  audit.close(audit.open(entry("echo one")), { kind: "done", facts: {} });
  audit.refuse(entry("sudo true", { verdict: "deny" }));
  audit.close(audit.open(entry("echo two")), { kind: "done", facts: {} });
  audit.stop();
  return folder;
}

async function verifyIn(folder: string): Promise<unknown> {
  const audit = auditIn(folder);
  // What comes after must not cover up what was done before.
  audit.note({ kind: "note", about: "business as usual" });
  const found = await audit.verify();
  audit.stop();
  return found;
}

describe("verify", () => {
  it("is content with what was left alone, across starts", async () => {
    const folder = folderOfSix();
    expect(await verifyIn(folder)).toMatchObject({ ok: true, records: 8, head: { seq: 8 } });
    expect(await verifyIn(folder)).toMatchObject({ ok: true, records: 10 });
  });

  it.each([
    ["at", "'2020-01-01T00:00:00.000Z'"],
    ["entry", "'other'"],
    ["kind", "'note'"],
    ["agent", "'somebody'"],
    ["session", "'elsewhere'"],
    ["verdict", "'allow'"],
    ["body", `replace(body, 'sudo', 'echo')`],
    ["prev", "hash"],
    ["hash", "prev"],
  ])("finds a changed %s", async (column, value) => {
    const folder = folderOfSix();
    tamper(folder, `UPDATE records SET ${column} = ${value} WHERE seq = 4`);
    expect(await verifyIn(folder)).toMatchObject({ ok: false, firstBad: 4 });
  });

  it("finds a note whose kind was made another that is none", async () => {
    const folder = folderOfSix();
    tamper(folder, "UPDATE records SET kind = 'remark' WHERE seq = 1");
    expect(await verifyIn(folder)).toMatchObject({ ok: false, firstBad: 1 });
  });

  it("finds a deleted record", async () => {
    const folder = folderOfSix();
    tamper(folder, "DELETE FROM records WHERE seq = 4");
    expect(await verifyIn(folder)).toMatchObject({ ok: false, firstBad: 4, reason: "the record is missing" });
  });

  it("finds a record that was cut out with its gap closed", async () => {
    const folder = folderOfSix();
    tamper(folder, "DELETE FROM records WHERE seq = 4; UPDATE records SET seq = seq - 1 WHERE seq > 4");
    expect(await verifyIn(folder)).toMatchObject({
      ok: false,
      firstBad: 4,
      reason: "the record does not follow the one before it",
    });
  });

  it("finds two records that changed places", async () => {
    const folder = folderOfSix();
    tamper(
      folder,
      "UPDATE records SET seq = 100 WHERE seq = 3; UPDATE records SET seq = 3 WHERE seq = 4; UPDATE records SET seq = 4 WHERE seq = 100",
    );
    expect(await verifyIn(folder)).toMatchObject({ ok: false, firstBad: 3 });
  });

  it("finds a record that was slipped in at the end", async () => {
    const folder = folderOfSix();
    tamper(
      folder,
      "INSERT INTO records SELECT 7, at, entry, kind, agent, session, verdict, body, hash, hash FROM records WHERE seq = 6",
    );
    expect(await verifyIn(folder)).toMatchObject({ ok: false, firstBad: 7, reason: "the record was changed" });
  });

  it("finds a cut tail, also after new records were written over the place", async () => {
    const folder = folderOfSix();
    tamper(folder, "DELETE FROM records WHERE seq > 4");
    // The abandoned entry's record and the start's come behind the note.
    expect(await verifyIn(folder)).toMatchObject({
      ok: false,
      firstBad: 5,
      reason: "records before this one were cut off; its body says which",
    });
    expect(await verifyIn(folder)).toMatchObject({ ok: false, firstBad: 5 });
  });

  it("finds a log that was emptied", async () => {
    const folder = folderOfSix();
    tamper(folder, "DELETE FROM records");
    expect(await verifyIn(folder)).toMatchObject({ ok: false, firstBad: 1 });
  });

  it("finds the head file gone or damaged at a start", async () => {
    const gone = folderOfSix();
    rmSync(join(gone, "audit.head"));
    expect(await verifyIn(gone)).toMatchObject({ ok: false, firstBad: 7 });
    const damaged = folderOfSix();
    writeFileSync(join(damaged, "audit.head"), "0000000000000006 nonsense\n");
    expect(await verifyIn(damaged)).toMatchObject({ ok: false, firstBad: 7 });
  });

  it("finds the head file changed while running", async () => {
    const folder = temporaryFolder();
    const audit = auditIn(folder);
    writeFileSync(join(folder, "audit.head"), `${"9".padStart(16, "0")} ${"a".repeat(64)}\n`);
    expect(await audit.verify()).toMatchObject({
      ok: false,
      firstBad: 2,
      reason: "the records up to 9, which the head file names, are missing",
    });
    audit.stop();
  });

  it("stops with its signal", async () => {
    const audit = auditIn(temporaryFolder());
    await expect(audit.verify(AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
    audit.stop();
  });

  it("looks only at what was there when it began", async () => {
    const audit = auditIn(temporaryFolder());
    for (let index = 0; index < 1200; index += 1) audit.note({ kind: "note", about: index });
    const checking = audit.verify();
    for (let index = 0; index < 5; index += 1) audit.note({ kind: "note", about: "meanwhile" });
    expect(await checking).toMatchObject({ ok: true, records: 1201 });
    audit.stop();
  });
});
