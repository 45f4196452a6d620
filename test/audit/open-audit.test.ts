import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { auditIn, entry } from "./fixture.ts";
import { temporaryFolder } from "./folders.ts";

const done = { kind: "done", facts: { exit: 0 } } as const;

describe("records", () => {
  it("hold what was asked, judged and answered, and how it ended", () => {
    const audit = auditIn(temporaryFolder(), { clock: () => new Date("2026-11-30T12:00:00.000Z") });
    const id = audit.open(entry("npm test"));
    audit.close(id, done);
    const [closed, opened] = audit.query({ entry: id }).records;
    expect(opened).toMatchObject({
      kind: "opened",
      at: "2026-11-30T12:00:00.000Z",
      agent: "tester",
      session: "session-of-tester",
      verdict: "allow",
    });
    expect(JSON.parse(opened?.body ?? "")).toMatchObject({
      intent: { command: { text: "npm test" } },
      by: { kind: "rule" },
      findings: [{ because: "a rule allows it" }],
    });
    expect(closed).toMatchObject({ kind: "closed", agent: "tester", prev: opened?.hash });
    expect(JSON.parse(closed?.body ?? "")).toEqual({ outcome: done });
    audit.stop();
  });

  it("lose their secrets and what is too long", () => {
    const audit = auditIn(temporaryFolder());
    const token = `ghp_${"a1B2c3".repeat(6)}`;
    const id = audit.refuse(
      entry(`${"x".repeat(20_000)} ${token}`, {
        verdict: "deny",
        denial: { effect: token, ruleId: "r", source: "user", because: "", missing: "", next: "" },
      }),
    );
    const body = audit.query({ entry: id }).records[0]?.body ?? "";
    expect(body).not.toContain(token);
    expect(body).toContain("[redacted:github]");
    expect(body.length).toBeLessThan(65_536);
    expect(body).toMatch(/\[\d+ characters more\]/);
    audit.stop();
  });

  it("stay under the bound when everything in them is large", async () => {
    const audit = auditIn(temporaryFolder());
    const env = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`V${index}`, "\0".repeat(5000)]));
    const { intent } = entry("true");
    if (intent.kind !== "exec") throw new Error("not an exec");
    const id = audit.open(entry("true", { intent: { ...intent, env } }));
    expect(audit.query({ entry: id }).records[0]?.body.length).toBeLessThanOrEqual(65_536);
    expect(await audit.verify()).toMatchObject({ ok: true });
    audit.stop();
  });

  it("end once", () => {
    const audit = auditIn(temporaryFolder());
    const id = audit.open(entry("true"));
    audit.close(id, done);
    expect(() => audit.close(id, done)).toThrow(expect.objectContaining({ code: "internal" }));
    expect(() => audit.close(audit.refuse(entry("x", { verdict: "deny" })), done)).toThrow("is not open");
    audit.stop();
  });

  it("hold notes and answers, redacted too", () => {
    const audit = auditIn(temporaryFolder());
    audit.note({
      kind: "answered",
      agent: "tester",
      verdict: "deny",
      about: { by: "alice", message: "password=hunter2" },
    });
    const [record] = audit.query({ kind: "answered" }).records;
    expect(record).toMatchObject({
      agent: "tester",
      verdict: "deny",
      body: '{"by":"alice","message":"password=[redacted:named]"}',
    });
    audit.stop();
  });
});

describe("a start", () => {
  it("closes what the last run left open, once", () => {
    const folder = temporaryFolder();
    const first = auditIn(folder);
    const left = first.open(entry("sleep 100", { agent: "left" }));
    first.close(first.open(entry("true")), done);
    first.stop();

    auditIn(folder).stop();
    const third = auditIn(folder);
    const abandoned = third.query({ kind: "abandoned" }).records;
    expect(abandoned).toMatchObject([{ entry: left, agent: "left", session: "session-of-left", verdict: "allow" }]);
    expect(JSON.parse(abandoned[0]?.body ?? "")).toMatchObject({ outcome: { kind: "abandoned" } });
    third.stop();
  });

  it("finds the chain whole after the process was killed", async () => {
    const folder = temporaryFolder();
    const program = `
      import { auditIn, entry } from ${JSON.stringify(new URL("fixture.ts", import.meta.url).href)};
      const audit = auditIn(${JSON.stringify(folder)});
      for (let n = 0; n < 50; n += 1) audit.close(audit.open(entry("echo " + n)), { kind: "done", facts: {} });
      process.stdout.write(audit.open(entry("sleep 100")));
      process.kill(process.pid, "SIGKILL");
    `;
    const killed = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
    expect(killed.signal).toBe("SIGKILL");
    const audit = auditIn(folder);
    expect(audit.query({ kind: "abandoned" }).records.map((record) => record.entry)).toEqual([killed.stdout]);
    expect(await audit.verify()).toMatchObject({ ok: true, records: 1 + 101 + 2 });
    audit.stop();
  });

  it("is refused where another Sallyport has the folder, in this process and in another", () => {
    const folder = temporaryFolder();
    const audit = auditIn(folder);
    const refusal = { code: "failed_precondition", message: `another Sallyport uses ${folder}` };
    expect(() => auditIn(folder)).toThrow(expect.objectContaining(refusal));
    const program = `
      import { auditIn } from ${JSON.stringify(new URL("fixture.ts", import.meta.url).href)};
      try { auditIn(${JSON.stringify(folder)}); } catch (error) { process.stdout.write(error.code + " " + error.message); }
    `;
    const other = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
    expect(other.stdout).toBe(`${refusal.code} ${refusal.message}`);
    audit.open(entry("still works"));
    audit.stop();
    auditIn(folder).stop();
  });

  it("is refused where the file is no database", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "audit.db"), "not a database, but long enough to have a header".repeat(10));
    expect(() => auditIn(folder)).toThrow(expect.objectContaining({ code: "data_loss" }));
  });

  it("keeps the folder and its files for their owner only, also where they were open", () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, "audit.db"), "", { mode: 0o644 });
    const audit = auditIn(folder);
    audit.open(entry("true"));
    const modes = ["", "audit.db", "audit.db-wal", "audit.head"].map((name) =>
      (statSync(join(folder, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(["700", "600", "600", "600"]);
    audit.stop();
  });

  it.runIf(process.geteuid?.() === 0)("is refused in somebody else's folder", () => {
    const folder = temporaryFolder();
    chownSync(folder, 12345, 12345);
    expect(() => auditIn(folder)).toThrow(
      expect.objectContaining({
        code: "failed_precondition",
        message: expect.stringContaining("belongs to user 12345") as string,
      }),
    );
  });
});

describe("the store", () => {
  it("forbids to change and to delete", () => {
    const folder = temporaryFolder();
    auditIn(folder).stop();
    const database = new DatabaseSync(join(folder, "audit.db"));
    expect(() => database.exec("UPDATE records SET body = '{}'")).toThrow("append-only");
    expect(() => database.exec("DELETE FROM records")).toThrow("append-only");
    expect(() => database.exec("REPLACE INTO records SELECT * FROM records")).toThrow("append-only");
    database.close();
    expect(readFileSync(join(folder, "audit.head"), "utf8")).toMatch(/^0{15}1 [0-9a-f]{64}\n$/);
  });
});
