import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { auditIn } from "./fixture.ts";
import { temporaryFolder } from "./folders.ts";

/** Pages of SQLite's usual bound, with room to spare: each record takes one at least. */
const many = 1200;

describe("the log of writes", () => {
  it("holds more than SQLite's usual, is taken into the file when it is quiet, and loses nothing", async () => {
    const folder = temporaryFolder();
    const audit = auditIn(folder);
    const size = (): number => statSync(join(folder, "audit.db")).size;
    const before = size();
    for (let count = 0; count < many; count += 1) audit.note({ kind: "note", about: { count } });
    expect(size()).toBe(before);
    await expect.poll(size).toBeGreaterThan(before);
    expect(await audit.verify()).toMatchObject({ ok: true, records: many + 1 });
    audit.stop();
    const database = new DatabaseSync(join(folder, "audit.db"), { readOnly: true });
    expect(database.prepare("SELECT count(*) AS records FROM records").get()).toEqual({ records: many + 1 });
    database.close();
  });

  it("is taken in once and for all where the audit stops before", () => {
    const folder = temporaryFolder();
    const audit = auditIn(folder);
    for (let count = 0; count < many; count += 1) audit.note({ kind: "note", about: { count } });
    audit.stop();
    const again = auditIn(folder);
    expect(again.query({}).records[0]?.seq).toBe(many + 2);
    again.stop();
  });
});
