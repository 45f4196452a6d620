import { describe, expect, it } from "vitest";
import type { QuestionEvent } from "../../src/approvals/open-question.ts";
import { createQuestionStore } from "../../src/approvals/question-store.ts";
import { createWatchers } from "../../src/approvals/watchers.ts";
import { openDatabase } from "../../src/audit/open-database.ts";
import { parseQuestionId } from "../../src/model/ids.ts";
import { Problem } from "../../src/model/problem.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { approvalsIn, caller, onlyOne, patient, question } from "./fixture.ts";

const alice = caller("alice");
const bob = caller("bob");
const problem = (code: string, message?: string): unknown =>
  expect.objectContaining({
    code,
    ...(message === undefined ? {} : { message: expect.stringContaining(message) as unknown }),
  });

describe("an answer", () => {
  it.each(["allow", "deny"] as const)("%s reaches the one who asked, with the person's name and word", async (kind) => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = approvals.ask(question("make"), patient());
    const { id } = onlyOne(approvals);
    expect(await approvals.answer(id, { kind, message: "because" }, alice)).toEqual({
      rules: [],
      notCounted: [],
    });
    expect(await asked).toEqual({
      kind,
      by: { kind: "person", name: "alice", channel: "socket", question: id },
      message: "because",
    });
    expect(approvals.list()).toEqual([]);
  });

  it("counts once: the second is told who was first", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = approvals.ask(question("make"), patient());
    const { id } = onlyOne(approvals);
    const [first, second] = await Promise.allSettled([
      approvals.answer(id, { kind: "deny" }, alice),
      approvals.answer(id, { kind: "allow" }, bob),
    ]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ reason: problem("failed_precondition", "alice on socket answered deny") });
    expect((await asked).kind).toBe("deny");
  });

  it.each([
    ["a member", caller("m", { role: "member" })],
    ["an agent", caller("a", { role: "member", isAgent: true })],
    ["an agent that is called an admin", caller("a", { isAgent: true })],
  ])("of %s is refused and changes nothing", async (_who, who) => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = approvals.ask(question("make"), patient());
    const { id } = onlyOne(approvals);
    await expect(approvals.answer(id, { kind: "allow" }, who)).rejects.toEqual(problem("permission_denied"));
    await approvals.answer(id, { kind: "deny" }, alice);
    expect((await asked).kind).toBe("deny");
  });

  it("needs a question, and a message of a bearable length", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const unknown = parseQuestionId("unknown");
    if (unknown === undefined) throw new Error("no identifier");
    await expect(approvals.answer(unknown, { kind: "allow" }, alice)).rejects.toEqual(problem("not_found"));
    const asked = approvals.ask(question("make"), patient());
    const { id } = onlyOne(approvals);
    await expect(approvals.answer(id, { kind: "deny", message: "x".repeat(1025) }, alice)).rejects.toMatchObject({
      code: "invalid_argument",
      field: "message",
    });
    await approvals.answer(id, { kind: "deny" }, alice);
    await asked;
  });
});

describe("an answer for always", () => {
  it("writes the drafted rules before anybody is released", async () => {
    const order: string[] = [];
    const rule = {
      id: "user.1",
      source: "user",
      capability: "shell",
      match: ["make *"],
      exclude: [],
      effect: "allow",
    } as const;
    const approvals = approvalsIn(temporaryFolder(), {
      async keep({ drafts, by }) {
        await Promise.resolve();
        order.push(`kept ${JSON.stringify(drafts)} for ${by.kind === "person" ? by.name : ""}`);
        return [rule];
      },
    });
    const asked = approvals.ask(question("make"), patient()).then(({ kind }) => order.push(kind));
    expect(await approvals.answer(onlyOne(approvals).id, { kind: "always-allow" }, alice)).toEqual({
      rules: [rule],
      notCounted: [],
    });
    await asked;
    expect(order).toEqual([
      'kept [{"capability":"shell","match":"make *","effect":"allow"}] for alice',
      "always-allow",
    ]);
  });

  it("denies by the opposite of what was proposed, as it was shown", async () => {
    const kept: unknown[] = [];
    const approvals = approvalsIn(temporaryFolder(), {
      keep({ drafts }) {
        kept.push(...drafts);
        return [];
      },
    });
    const asked = approvals.ask(question("make"), patient());
    const shown = onlyOne(approvals);
    await approvals.answer(shown.id, { kind: "always-deny" }, alice);
    expect(kept).toEqual([{ capability: "shell", match: "make *", effect: "deny" }]);
    expect(shown.denyDrafts).toEqual(kept);
    expect((await asked).kind).toBe("always-deny");
  });

  it("fails where no rule was proposed, and the question stays open", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = approvals.ask(question("make", { drafts: [] }), patient());
    const { id } = onlyOne(approvals);
    await expect(approvals.answer(id, { kind: "always-allow" }, alice)).rejects.toEqual(
      problem("failed_precondition", "no rule"),
    );
    await approvals.answer(id, { kind: "allow" }, alice);
    expect((await asked).kind).toBe("allow");
  });

  it("fails where the rule cannot be written, and the question stays open", async () => {
    const approvals = approvalsIn(temporaryFolder(), {
      keep() {
        throw new Problem("resource_exhausted", "the disk is full");
      },
    });
    const asked = approvals.ask(question("make"), patient());
    const { id } = onlyOne(approvals);
    await expect(approvals.answer(id, { kind: "always-allow" }, alice)).rejects.toEqual(problem("resource_exhausted"));
    await approvals.answer(id, { kind: "deny" }, bob);
    expect((await asked).kind).toBe("deny");
  });

  it("holds the question while the rule is written", async () => {
    const { promise, resolve } = Promise.withResolvers<[]>();
    const approvals = approvalsIn(temporaryFolder(), { keep: () => promise });
    const asked = approvals.ask(question("make"), patient());
    const { id } = onlyOne(approvals);
    const first = approvals.answer(id, { kind: "always-allow" }, alice);
    await expect(approvals.answer(id, { kind: "deny" }, bob)).rejects.toEqual(
      problem("failed_precondition", "alice on socket is answering"),
    );
    resolve([]);
    await first;
    expect((await asked).kind).toBe("always-allow");
  });

  it("that fails after the deadline leaves the denial of the deadline", async () => {
    const { promise, reject } = Promise.withResolvers<[]>();
    const approvals = approvalsIn(temporaryFolder(), {
      keep: () => promise,
      deadlineMs: 5,
      // Only the timer tells that time goes by.
      clock: () => new Date(0),
    });
    const asked = approvals.ask(question("make"), patient());
    const answered = approvals.answer(onlyOne(approvals).id, { kind: "always-allow" }, alice);
    // Another question's end shows that the deadline of the first is over: timers of one length fire in order.
    await approvals.ask(question("later"), patient());
    expect(onlyOne(approvals).title).toBe("Run make");
    reject(new Error("no"));
    await expect(answered).rejects.toEqual(problem("unavailable"));
    expect(await asked).toMatchObject({ kind: "deny", by: { kind: "rule" } });
  });

  it("says so where the caller went away meanwhile", async () => {
    const { promise, resolve } = Promise.withResolvers<[]>();
    const approvals = approvalsIn(temporaryFolder(), { keep: () => promise });
    const leaving = new AbortController();
    const asked = approvals.ask(question("make"), leaving.signal);
    const answered = approvals.answer(onlyOne(approvals).id, { kind: "always-allow" }, alice);
    leaving.abort();
    await expect(asked).rejects.toEqual(problem("cancelled"));
    resolve([]);
    await expect(answered).rejects.toEqual(problem("failed_precondition", "the rule holds"));
  });
});

describe("a question without an answer", () => {
  it("is denied by rule at its deadline", async () => {
    const approvals = approvalsIn(temporaryFolder(), { deadlineMs: 5 });
    const answer = await approvals.ask(question("make"), patient());
    expect(answer).toEqual({ kind: "deny", by: { kind: "rule" }, message: "nobody answered within 0.005 seconds" });
    const [closed] = approvals.closed(10);
    expect(closed).toMatchObject({ answer: "deny", by: "the deadline", title: "Run make" });
    if (closed === undefined) throw new Error("nothing was closed");
    await expect(approvals.answer(closed.id, { kind: "allow" }, alice)).rejects.toEqual(
      problem("failed_precondition", "the deadline answered deny"),
    );
  });

  it("is withdrawn with its caller", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const leaving = new AbortController();
    const asked = approvals.ask(question("make"), leaving.signal);
    const { id } = onlyOne(approvals);
    leaving.abort();
    await expect(asked).rejects.toEqual(problem("cancelled"));
    expect(approvals.list()).toEqual([]);
    await expect(approvals.answer(id, { kind: "allow" }, alice)).rejects.toEqual(
      problem("failed_precondition", "withdrawn"),
    );
  });

  it("is withdrawn with its session, and with no other", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = approvals.ask(question("make", { agent: "one" }), patient());
    const { id, session } = onlyOne(approvals);
    const other = approvals.ask(question("make", { agent: "two" }), patient());
    approvals.withdraw(session);
    await expect(asked).rejects.toEqual(problem("cancelled", "the session was closed"));
    expect(approvals.list().map(({ agent }) => agent)).toEqual(["two"]);
    await expect(approvals.answer(id, { kind: "allow" }, alice)).rejects.toEqual(
      problem("failed_precondition", "the session was closed"),
    );
    await approvals.answer(onlyOne(approvals).id, { kind: "deny" }, alice);
    expect((await other).kind).toBe("deny");
  });

  it("is never opened for a caller that is gone", async () => {
    const approvals = approvalsIn(temporaryFolder());
    await expect(approvals.ask(question("make"), AbortSignal.abort())).rejects.toEqual(problem("cancelled"));
    expect(approvals.closed(10)).toEqual([]);
  });

  it("is refused where it cannot be stored", async () => {
    const approvals = approvalsIn(temporaryFolder());
    approvals.database.exec("DROP TABLE open_questions");
    await expect(approvals.ask(question("make"), patient())).rejects.toEqual(
      problem("unavailable", "the question could not be stored"),
    );
    expect(approvals.list()).toEqual([]);
  });
});

describe("many questions", () => {
  it("that are the same are one, until the last caller leaves", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const leaving = new AbortController();
    const first = approvals.ask(question("make"), leaving.signal);
    const second = approvals.ask(question("make"), patient());
    const { id } = onlyOne(approvals);
    leaving.abort();
    await expect(first).rejects.toEqual(problem("cancelled"));
    expect(onlyOne(approvals).id).toBe(id);
    await approvals.answer(id, { kind: "allow" }, alice);
    expect((await second).kind).toBe("allow");
  });

  it("that differ in anything are not", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const asked = [
      question("make"),
      question("make "),
      question("make", { agent: "other" }),
      question("make", { intent: { env: { A: "1" } } }),
      question("make", { intent: { stdin: true } }),
      question("make", { operands: "another script" }),
    ];
    const answers = asked.map((each) => approvals.ask(each, patient()));
    expect(approvals.list()).toHaveLength(asked.length);
    for (const { id } of approvals.list()) await approvals.answer(id, { kind: "deny" }, alice);
    await Promise.all(answers);
  });

  it("of one agent are bounded, and do not bound the others", async () => {
    const approvals = approvalsIn(temporaryFolder(), { perAgent: 2 });
    const answers = [approvals.ask(question("a"), patient()), approvals.ask(question("a"), patient())];
    await expect(approvals.ask(question("b"), patient())).rejects.toEqual(
      problem("resource_exhausted", "2 requests of tester"),
    );
    answers.push(approvals.ask(question("b", { agent: "other" }), patient()));
    for (const { id } of approvals.list()) await approvals.answer(id, { kind: "deny" }, alice);
    await Promise.all(answers);
    const again = approvals.ask(question("b"), patient());
    await approvals.answer(onlyOne(approvals).id, { kind: "deny" }, alice);
    await again;
  });
});

describe("closed questions", () => {
  it("are listed newest first, and the oldest give way", async () => {
    const folder = temporaryFolder();
    const approvals = approvalsIn(folder, { deadlineMs: 1 });
    for (const text of ["a", "b", "c", "d"]) await approvals.ask(question(text), patient());
    expect(approvals.closed(2).map(({ title }) => title)).toEqual(["Run d", "Run c"]);
    expect(() => approvals.closed(0)).toThrow(problem("invalid_argument"));
    const open = approvals.ask(question("e"), patient());
    const database = openDatabase({ folder: temporaryFolder(), file: "approvals.db" });
    const store = createQuestionStore(database, new Date(), 3);
    const shown = onlyOne(approvals);
    for (const text of ["a", "b", "c", "d", "e"]) {
      const id = parseQuestionId(text) ?? expect.unreachable();
      store.insert({ shown: { ...shown, id }, digest: text, subject: question(text).subject, drafts: [] });
      if (text !== "a") store.close(id, { answer: "deny", by: "test" }, new Date());
    }
    expect(
      store
        .closed(10)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["c", "d", "e"]);
    database.close();
    await open;
  });
});

describe("watch", () => {
  it("gives what is open, then every change, and ends with its signal", async () => {
    const approvals = approvalsIn(temporaryFolder());
    const early = approvals.ask(question("early"), patient());
    const stop = new AbortController();
    const events: QuestionEvent[] = [];
    const watching = (async () => {
      for await (const event of approvals.watch(stop.signal)) {
        events.push(event);
        if (events.length === 3) stop.abort();
      }
    })();
    const leaving = new AbortController();
    const late = approvals.ask(question("late"), leaving.signal);
    await approvals.answer(approvals.list()[0]?.id ?? expect.unreachable(), { kind: "deny" }, alice);
    await early;
    await watching;
    expect(events).toMatchObject([
      { kind: "opened", question: { title: "Run early" } },
      { kind: "opened", question: { title: "Run late" } },
      { kind: "closed", answer: "deny", by: "alice on socket" },
    ]);
    leaving.abort();
    await expect(late).rejects.toEqual(problem("cancelled"));
  });

  it("sends a reader away that falls far behind", async () => {
    const watchers = createWatchers();
    const reader = watchers.watch([], patient());
    const id = parseQuestionId("one") ?? expect.unreachable();
    for (let index = 0; index < 2001; index += 1) watchers.emit({ kind: "closed", id, answer: "deny", by: "test" });
    await expect(reader.next()).rejects.toEqual(problem("resource_exhausted"));
  });
});
