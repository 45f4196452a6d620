import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../audit/folders.ts";
import { approvalsIn, caller, onlyOne, patient, question } from "./fixture.ts";

describe("what a person is shown", () => {
  it("is everything that will happen, line by line", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = approvals.ask(
      question("make\nfolder\n| /", { intent: { env: { A: "1" }, stdin: true, background: true, keep: true } }),
      patient(),
    );
    const shown = onlyOne(approvals);
    expect(shown.detail.split("\n")).toEqual([
      "bash",
      "| make",
      "| folder",
      "| | /",
      "folder",
      "| /home/u/project",
      "variable",
      "| A=1",
      "in the background",
      "| yes",
      "goes on without its caller",
      "| yes",
      "reads input",
      "| yes",
    ]);
    expect(shown).toMatchObject({
      agent: "tester",
      session: "session-of-tester",
      channel: "socket",
      suspicious: false,
    });
    await approvals.answer(shown.id, { kind: "deny" }, caller("alice"));
    await asked;
  });

  it("has lost its secrets and shows what was hidden, everywhere", async () => {
    const token = `ghp_${"a1B2c3".repeat(6)}`;
    const approvals = approvalsIn(temporaryFolder());
    const asked = approvals.ask(question(`push ${token} \u202e`), patient());
    const shown = onlyOne(approvals);
    const all = JSON.stringify(shown);
    expect(all).not.toContain(token);
    expect(all).not.toContain("\u202e");
    expect(shown.suspicious).toBe(true);
    for (const text of [shown.title, shown.detail, JSON.stringify(shown.findings), JSON.stringify(shown.allowDrafts)]) {
      expect(text).toContain("[redacted:github]");
      expect(text).toContain("u{202e}");
    }
    await approvals.answer(shown.id, { kind: "deny" }, caller("alice"));
    await asked;
  });

  it("is whole, or nobody is asked", async () => {
    const approvals = approvalsIn(temporaryFolder());
    await expect(approvals.ask(question(`echo ${"x".repeat(70_000)}`), patient())).rejects.toMatchObject({
      code: "failed_precondition",
    });
    const [finding] = question("x").open;
    if (finding === undefined) throw new Error("no finding");
    await expect(
      approvals.ask({ ...question("x"), open: Array.from({ length: 201 }, () => finding) }, patient()),
    ).rejects.toMatchObject({ code: "failed_precondition" });
    await expect(
      approvals.ask({ ...question("x"), open: [{ ...finding, because: "x".repeat(600_000) }] }, patient()),
    ).rejects.toMatchObject({ code: "failed_precondition" });
    await expect(approvals.ask(question(`echo ${"\u202e".repeat(20_000)}`), patient())).rejects.toMatchObject({
      code: "failed_precondition",
    });
    const asked = approvals.ask(question(`echo ${"x".repeat(60_000)}`), patient());
    const shown = onlyOne(approvals);
    expect(shown.detail).toContain("x".repeat(60_000));
    expect(shown.title.length).toBeLessThan(600);
    await approvals.answer(shown.id, { kind: "deny" }, caller("alice"));
    await asked;
  });

  it("has what would change beside it, safe to look at, and says where that was cut", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const token = `ghp_${"a1B2c3".repeat(6)}`;
    const preview = [{ label: "diff", text: `-${token}\n+\u202e\nand more that is not shown here` }];
    const asked = approvals.ask({ ...question("x"), preview }, patient());
    const shown = onlyOne(approvals);
    expect(shown.preview).toBe("diff\n| -[redacted:github]\n| +\\u{202e}\n| and more that is not shown here");
    expect([shown.suspicious, shown.detail.includes("diff")]).toEqual([true, false]);
    await approvals.answer(shown.id, { kind: "deny" }, caller("alice"));
    await asked;
    const long = { ...question("y"), preview: [{ label: "diff", text: "+line\n".repeat(20_000) }] };
    const askedLong = approvals.ask(long, patient());
    const cut = onlyOne(approvals);
    expect([cut.preview.length < 33_000, cut.preview.endsWith("| +line\nand more that is not shown here")]).toEqual([
      true,
      true,
    ]);
    await approvals.answer(cut.id, { kind: "deny" }, caller("alice"));
    await askedLong;
  });

  it("names every word of a vector by itself", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = approvals.ask(
      question("x", { intent: { command: { kind: "argv", argv: ["rm", "-rf /", "a\nb"] } } }),
      patient(),
    );
    const shown = onlyOne(approvals);
    expect(shown.detail).toContain("program\n| rm\nargument\n| -rf /\nargument\n| a\n| b\n");
    await approvals.answer(shown.id, { kind: "deny" }, caller("alice"));
    await asked;
  });
});
