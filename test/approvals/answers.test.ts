import { describe, expect, it } from "vitest";
import type { Keeping } from "../../src/approvals/keeping.ts";
import type { RecordedAnswer } from "../../src/approvals/open-question.ts";
import { unshow } from "../../src/approvals/unshow.ts";
import { show } from "../../src/approvals/show.ts";
import { parseQuestionId } from "../../src/model/ids.ts";
import type { Attempt } from "../../src/model/gate-ports.ts";
import { Problem } from "../../src/model/problem.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { approvalsIn, attemptOf, caller, onlyOne, patient, question } from "./fixture.ts";

const alice = caller("alice");

describe("an answer by rules of the session", () => {
  it.each([
    ["allow-session", undefined, { kind: "session" }],
    ["allow-for", undefined, { kind: "session", until: new Date(900_000) }],
    ["allow-for", 5, { kind: "session", until: new Date(5000) }],
  ] as const)("%s for %s seconds gives them to the one who asked", async (kind, forSeconds, lasts) => {
    const kept: Keeping[] = [];
    const approvals = approvalsIn(temporaryFolder(), {
      clock: () => new Date(0),
      keep(keeping) {
        kept.push(keeping);
        return [];
      },
    });
    const asked = approvals.ask(question("make"), patient());
    await approvals.answer(onlyOne(approvals).id, { kind, ...(forSeconds === undefined ? {} : { forSeconds }) }, alice);
    expect((await asked).kind).toBe(kind);
    expect(kept).toMatchObject([
      {
        drafts: [{ match: "make *", effect: "allow" }],
        lasts,
        subject: { agent: "tester", session: "session-of-tester" },
        by: { kind: "person", name: "alice" },
      },
    ]);
  });

  it.each([0, 1.5, -1, 86_401])("not for %s seconds", async (forSeconds) => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = approvals.ask(question("make"), patient());
    const { id } = onlyOne(approvals);
    await expect(approvals.answer(id, { kind: "allow-for", forSeconds }, alice)).rejects.toMatchObject({
      field: "for_seconds",
    });
    await approvals.answer(id, { kind: "deny" }, alice);
    await asked;
  });
});

describe("an edited command", () => {
  it("is read back from what was shown, judged, and runs in its place", async () => {
    const tried: string[] = [];
    const approvals = approvalsIn(temporaryFolder());
    const text = "echo '\u202e' \\u{41}\nls";
    const attempt = (other: string): Attempt => {
      tried.push(other);
      return attemptOf(other);
    };
    const asked = approvals.ask(question("make", { editable: { text, attempt } }), patient());
    const { id, editable } = onlyOne(approvals);
    expect(editable).toBe("echo '\\u{202e}' \\u{5c}u{41}\nls");
    await approvals.answer(id, { kind: "edit-and-allow", edited: `${editable} -l` }, alice);
    expect(tried).toEqual([`${text} -l`]);
    expect(await asked).toMatchObject({ kind: "edit-and-allow", edited: `${text} -l` });
  });

  it("that is refused leaves the question open, and the reason goes to the person alone", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const attempt = (): never => {
      throw new Problem("failed_precondition", "run sudo: nothing lifts it");
    };
    const asked = approvals.ask(question("make", { editable: { text: "make", attempt } }), patient());
    const { id } = onlyOne(approvals);
    await expect(approvals.answer(id, { kind: "edit-and-allow", edited: "sudo x" }, alice)).rejects.toMatchObject({
      message: "run sudo: nothing lifts it",
    });
    for (const edited of [undefined, ""])
      await expect(
        approvals.answer(id, { kind: "edit-and-allow", ...(edited === undefined ? {} : { edited }) }, alice),
      ).rejects.toMatchObject({ field: "edited" });
    expect(onlyOne(approvals).id).toBe(id);
    await approvals.answer(id, { kind: "deny" }, alice);
    expect((await asked).message).toBeUndefined();
  });

  it("is shown as what it would do, which answers nothing, and counts only while it would do the same", async () => {
    const approvals = approvalsIn(temporaryFolder());
    let operands = "script 1";
    const attempt = (other: string): Attempt => attemptOf(other, operands);
    const asked = approvals.ask(question("make", { editable: { text: "make", attempt } }), patient());
    const { id } = onlyOne(approvals);
    const look = approvals.tryEdit(id, "make\u202e -n", alice);
    expect(look).toMatchObject({ title: "Run make\\u{202e} -n", suspicious: true });
    expect(look.detail).toContain("bash\n| make\\u{202e} -n\nfolder\n| /home/u/project");
    expect(look.findings).toHaveLength(1);
    expect(look.marks.map(({ start, end }) => look.detail.slice(start, end))).toEqual(["make\\u{202e} -n"]);
    expect(onlyOne(approvals).id).toBe(id);
    operands = "script 2";
    const reply = { kind: "edit-and-allow", edited: "make\u202e -n", plan: look.plan } as const;
    await expect(approvals.answer(id, reply, alice)).rejects.toThrow("what it would do changed since it was shown");
    await expect(approvals.answer(id, { ...reply, edited: "make" }, alice)).rejects.toThrow("changed since");
    const { plan } = approvals.tryEdit(id, "make\u202e -n", alice);
    expect(plan).not.toBe(look.plan);
    await approvals.answer(id, { ...reply, plan }, alice);
    expect(await asked).toMatchObject({ edited: "make\u202e -n", editedOperands: "script 2" });
  });

  it("is looked at by those only who may answer", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = approvals.ask(question("make", { editable: { text: "make", attempt: attemptOf } }), patient());
    const { id } = onlyOne(approvals);
    for (const change of [{ role: "member" }, { isAgent: true }] as const)
      expect(() => approvals.tryEdit(id, "ls", caller("mallory", change))).toThrow("only an admin");
    expect(() => approvals.tryEdit(id, "", alice)).toThrow("edited: must be set");
    await approvals.answer(id, { kind: "deny" }, alice);
    expect(() => approvals.tryEdit(id, "ls", alice)).toThrow("the question is closed");
    await asked;
  });

  it("is not offered where a secret stands in it", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const text = `push ghp_${"a1B2".repeat(9)}`;
    const asked = approvals.ask(question("push", { editable: { text, attempt: attemptOf } }), patient());
    const { id, editable, answers } = onlyOne(approvals);
    expect([editable, answers.includes("edit-and-allow")]).toEqual(["", false]);
    await approvals.answer(id, { kind: "deny" }, alice);
    await asked;
  });

  it.each(["plain", "\u202e\u200b\r\t", "\\u{41}", "\\\\u{5c}", "\\u{110000}", "é пример", "a\u0000b"])(
    "%j is read back as it was",
    (text) => {
      expect(unshow(show(text, { lines: true }).text)).toBe(text);
    },
  );
});

describe("an answer to several", () => {
  it("counts for each as if it were alone, and says where it did not", async () => {
    const records: RecordedAnswer[] = [];
    const approvals = approvalsIn(temporaryFolder(), { record: (answer) => void records.push(answer) });
    const asked = ["a", "b", "c"].map((text) => approvals.ask(question(text), patient()));
    const [first, second, third] = approvals.list().map(({ id }) => id);
    if (first === undefined || second === undefined || third === undefined) throw new Error("no questions");
    await approvals.answer(second, { kind: "deny" }, caller("bob"));
    const { notCounted } = await approvals.answer(first, { kind: "allow" }, alice, [first, second, third, third]);
    expect(notCounted).toEqual([{ id: second, reason: "the question is closed: bob on socket answered deny" }]);
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(["allow", "deny", "allow"]);
    expect(records.map(({ question: { title }, caller: { agent } }) => [title, agent])).toEqual([
      ["Run b", "bob"],
      ["Run a", "alice"],
      ["Run c", "alice"],
    ]);
  });

  it("is refused where one is of another group, before any is answered", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = ["one", "two"].map((agent) => approvals.ask(question("make", { agent }), patient()));
    const [first, second] = approvals.list().map(({ id }) => id);
    if (first === undefined || second === undefined) throw new Error("no questions");
    await expect(approvals.answer(first, { kind: "allow" }, alice, [second])).rejects.toMatchObject({ field: "also" });
    expect(approvals.list()).toHaveLength(2);
    for (const id of [first, second]) await approvals.answer(id, { kind: "deny" }, alice);
    await Promise.all(asked);
  });
});

describe("equal requests that come after a person looked", () => {
  it("do not go with an answer for this once", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = [approvals.ask(question("pay 1"), patient())];
    const { id } = onlyOne(approvals);
    for (let more = 0; more < 2; more += 1) asked.push(approvals.ask(question("pay 1"), patient()));
    const more = {
      code: "failed_precondition",
      field: "waiting",
      message: expect.stringContaining("3 requests") as string,
    };
    await expect(approvals.answer(id, { kind: "allow", waiting: 1 }, alice)).rejects.toMatchObject(more);
    await expect(approvals.answer(id, { kind: "allow", waiting: 2 }, alice)).rejects.toMatchObject(more);
    expect(onlyOne(approvals)).toMatchObject({ id, waiting: 3 });
    await approvals.answer(id, { kind: "allow", waiting: 3 }, alice);
    for (const answer of await Promise.all(asked)) expect(answer.kind).toBe("allow");
  });

  it("count among those of a group, and never against a denial or a rule", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = ["one", "two", "two"].map((text) => approvals.ask(question(text), patient()));
    const [first, second] = approvals.list().map(({ id }) => id);
    if (first === undefined || second === undefined) throw new Error("no questions");
    await expect(approvals.answer(first, { kind: "allow", waiting: 2 }, alice, [second])).rejects.toMatchObject({
      field: "waiting",
    });
    expect(approvals.list()).toHaveLength(2);
    await approvals.answer(first, { kind: "allow", waiting: 1 }, alice);
    await approvals.answer(second, { kind: "deny", waiting: 1 }, alice);
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(["allow", "deny", "deny"]);
  });
});

describe("who may answer", () => {
  it("is looked at when the answer comes: whoever lost the role meanwhile is refused", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = approvals.ask(question("make"), patient());
    const { id } = onlyOne(approvals);
    const demoted = caller("alice", { role: "member" });
    for (const kind of ["allow", "always-allow", "allow-session", "edit-and-allow", "deny", "always-deny"] as const)
      await expect(approvals.answer(id, { kind, edited: "x" }, demoted)).rejects.toMatchObject({
        code: "permission_denied",
      });
    await approvals.answer(id, { kind: "deny" }, alice);
    await asked;
  });

  it("does not answer where that cannot be recorded", async () => {
    const approvals = approvalsIn(temporaryFolder(), {
      record() {
        throw new Error("the disk is full");
      },
    });
    const leaving = new AbortController();
    const asked = approvals.ask(question("make"), leaving.signal);
    const { id } = onlyOne(approvals);
    await expect(approvals.answer(id, { kind: "allow" }, alice)).rejects.toMatchObject({ code: "unavailable" });
    expect(onlyOne(approvals).id).toBe(id);
    leaving.abort();
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("a flood", () => {
  it("of one agent is bounded by the minute; others, and equal requests, are not", async () => {
    let now = 0;
    const approvals = approvalsIn(temporaryFolder(), { perMinute: 3, perAgent: 10, clock: () => new Date(now) });
    const asked = ["a", "b", "c", "c"].map((text) => approvals.ask(question(text), patient()));
    await expect(approvals.ask(question("d"), patient())).rejects.toMatchObject({ code: "resource_exhausted" });
    asked.push(approvals.ask(question("d", { agent: "other" }), patient()));
    now = 61_000;
    asked.push(approvals.ask(question("d"), patient()));
    expect(approvals.list().map(({ waiting }) => waiting)).toEqual([1, 1, 2, 1, 1]);
    for (const { id } of approvals.list()) await approvals.answer(id, { kind: "deny" }, alice);
    await Promise.all(asked);
  });
});

describe("who waits", () => {
  it("is told to watchers where it changes", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const stop = new AbortController();
    const watching = approvals.watch(stop.signal);
    const waiting = async (): Promise<unknown> => {
      const { value } = await watching.next();
      return value?.kind === "opened" ? value.question.waiting : value?.kind;
    };
    const leaving = new AbortController();
    const first = approvals.ask(question("make"), leaving.signal);
    expect(await waiting()).toBe(1);
    const second = approvals.ask(question("make"), patient());
    expect(await waiting()).toBe(2);
    leaving.abort();
    await expect(first).rejects.toMatchObject({ code: "cancelled" });
    expect(await waiting()).toBe(1);
    await approvals.answer(onlyOne(approvals).id, { kind: "deny" }, alice);
    await second;
    expect(await waiting()).toBe("closed");
    stop.abort();
    await watching.return(undefined);
  });

  it("is told once to a reader who has not read it, however often callers come and go", async () => {
    const approvals = approvalsIn(temporaryFolder(), { perAgent: 999 });
    const stop = new AbortController();
    const watching = approvals.watch(stop.signal);
    const asked = Array.from({ length: 900 }, () => approvals.ask(question("make"), patient()));
    expect((await watching.next()).value).toMatchObject({ kind: "opened", question: { waiting: 900 } });
    await approvals.answer(onlyOne(approvals).id, { kind: "deny" }, alice);
    await Promise.all(asked);
    expect((await watching.next()).value).toMatchObject({ kind: "closed" });
    stop.abort();
    await watching.return(undefined);
  });
});

describe("the marks", () => {
  it("stand on the parts of the shown text that need the answer", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const text = "ls && make install";
    const base = question(text);
    const [finding] = base.open;
    if (finding === undefined) throw new Error("no finding");
    const effect = { kind: "run", program: "make", argv: ["make", "install"], text: "make install" } as const;
    const asked = approvals.ask({ ...base, open: [{ ...finding, effect }] }, patient());
    const { id, detail, marks } = onlyOne(approvals);
    expect(marks.map(({ start, end }) => detail.slice(start, end))).toEqual(["make install"]);
    await approvals.answer(id, { kind: "deny" }, alice);
    await asked;
  });
});

it("marks within bounds what repeats itself without end", async () => {
  const approvals = approvalsIn(temporaryFolder());
  const base = question(`${"a ".repeat(3000)}${"a".repeat(50_000)}`);
  const [finding] = base.open;
  if (finding === undefined) throw new Error("no finding");
  const effect = { kind: "run", program: "aaa", argv: ["aaa"], text: "aa" } as const;
  const asked = approvals.ask(
    { ...base, open: Array.from({ length: 200 }, () => ({ ...finding, effect })) },
    patient(),
  );
  const { id, marks } = onlyOne(approvals);
  expect(marks).toEqual([]);
  await approvals.answer(id, { kind: "deny" }, alice);
  await asked;
});

it("answers only what is there", async () => {
  const approvals = approvalsIn(temporaryFolder());
  const unknown = parseQuestionId("unknown");
  if (unknown === undefined) throw new Error("no identifier");
  await expect(approvals.answer(unknown, { kind: "allow" }, alice)).rejects.toMatchObject({ code: "not_found" });
});
