import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../audit/folders.ts";
import { approvalsIn, attemptOf, caller, onlyOne, patient, question } from "./fixture.ts";

const alice = caller("alice");

describe("a question from before a restart", () => {
  it("is open again with its deadline, and its answer waits for the same request", async () => {
    const folder = temporaryFolder();
    const first = approvalsIn(folder);
    const asked = first.ask(question("make", { operands: "as it was" }), patient());
    const before = onlyOne(first);
    first.end();
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
    const second = approvalsIn(folder);
    expect(onlyOne(second)).toEqual({ ...before, waiting: 0, waitsForCaller: true });
    await second.answer(before.id, { kind: "deny", message: "no" }, alice);
    expect(second.list()).toEqual([]);
    const other = second.ask(question("make", { operands: "another script" }), patient());
    await second.answer(onlyOne(second).id, { kind: "deny" }, alice);
    expect(await other).not.toHaveProperty("useUp");
    second.end();
    const third = approvalsIn(folder);
    const answer = await third.ask(question("make", { operands: "as it was" }), patient());
    expect(answer).toMatchObject({ kind: "deny", message: "no", by: { kind: "person", name: "alice" } });
  });

  it("is used up in one step with the record: not without it, and not twice", async () => {
    const folder = temporaryFolder();
    const first = approvalsIn(folder);
    const asked = first.ask(question("make"), patient());
    first.end();
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
    const approvals = approvalsIn(folder);
    await approvals.answer(onlyOne(approvals).id, { kind: "allow" }, alice);
    const [one, two] = await Promise.all([
      approvals.ask(question("make"), patient()),
      approvals.ask(question("make"), patient()),
    ]);
    const refuse = (): never => {
      throw new Error("the record is full");
    };
    expect(() => one.useUp?.(refuse)).toThrow("could not be stored");
    expect(one.useUp?.(() => "recorded")).toBe("recorded");
    expect(() => two.useUp?.(() => "recorded")).toThrow("used by another request");
    const again = approvals.ask(question("make"), patient());
    await approvals.answer(onlyOne(approvals).id, { kind: "deny" }, alice);
    expect((await again).kind).toBe("deny");
  });

  it("keeps no rule with a secret in it, and no text that could be edited", async () => {
    const folder = temporaryFolder();
    const token = `ghp_${"a1B2".repeat(9)}`;
    const first = approvalsIn(folder);
    const drafts = [{ capability: "shell", match: `push ${token}`, effect: "allow" }] as const;
    const asked = first.ask(
      question(`push ${token}`, { drafts, editable: { text: "x", attempt: attemptOf } }),
      patient(),
    );
    expect(onlyOne(first).answers).toContain("always-allow");
    first.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const stored = JSON.stringify(first.database.prepare("SELECT * FROM open_questions").all());
    expect(stored).toContain("push");
    expect(stored).not.toContain(token);
    first.end();
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
    expect(onlyOne(approvalsIn(folder))).toMatchObject({ answers: ["allow", "deny"], allowDrafts: [], editable: "" });
  });

  it("is denied by its deadline where that passed meanwhile, and lost where it cannot be read", async () => {
    const folder = temporaryFolder();
    const first = approvalsIn(folder, { deadlineMs: 60_000 });
    const asked = [first.ask(question("one"), patient()), first.ask(question("two"), patient())];
    const [one, two] = first.list();
    first.database.exec(`UPDATE open_questions SET body = '{}' WHERE id = '${two?.id ?? ""}'`);
    first.end();
    for (const each of asked) await expect(each).rejects.toMatchObject({ code: "cancelled" });
    const later = new Date(Date.now() + 61_000);
    const lost = approvalsIn(folder);
    expect(lost.list().map(({ id }) => id)).toEqual([one?.id]);
    expect(lost.closed(10)).toMatchObject([{ id: two?.id, answer: undefined, by: "lost with the restart" }]);
    lost.end();
    const second = approvalsIn(folder, { clock: () => later });
    expect(second.list()).toEqual([]);
    expect(second.closed(10)).toMatchObject([{ id: one?.id, answer: "deny", by: "the deadline" }, { id: two?.id }]);
  });

  it("can be edited again, and is withdrawn with its caller, once it was asked again", async () => {
    const folder = temporaryFolder();
    const first = approvalsIn(folder);
    const ask = question("make", { editable: { text: "make", attempt: attemptOf } });
    const asked = first.ask(ask, patient());
    const { id } = onlyOne(first);
    first.end();
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
    const second = approvalsIn(folder);
    await expect(second.answer(id, { kind: "edit-and-allow", edited: "ls" }, alice)).rejects.toMatchObject({
      code: "failed_precondition",
    });
    const leaving = new AbortController();
    const again = second.ask(ask, leaving.signal);
    expect(onlyOne(second)).toMatchObject({ id, waitsForCaller: false, editable: "make" });
    leaving.abort();
    await expect(again).rejects.toMatchObject({ code: "cancelled" });
    expect(second.list()).toEqual([]);
  });
});
