import { describe, expect, it } from "vitest";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import type { Decision, Finding, Settlement } from "../../src/model/decision.ts";
import type { Answer, Entry, Judgement, MakePreview, Question } from "../../src/model/gate-ports.ts";
import type { AgentId, EntryId, SessionId } from "../../src/model/ids.ts";
import type { StatIntent } from "../../src/model/intent.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import { Permit } from "../../src/model/permit.ts";
import { Problem } from "../../src/model/problem.ts";
import type { Channel, Subject } from "../../src/model/subject.ts";
import { createGate } from "../../src/gate/gate.ts";
import { shell } from "../policy/world.ts";

const path = "/work/a" as AbsolutePath;
const intent: StatIntent = { kind: "stat", path };
const subject: Subject = {
  agent: "robot" as AgentId,
  session: "s1" as SessionId,
  channel: "socket" as Channel,
  role: "member",
  tier: "full",
  mode: "ask",
  attended: true,
};
const finding: Finding = {
  effect: { kind: "read", path, exact: true },
  verdict: "ask",
  rules: [],
  because: "no rule allows it",
  firm: false,
};
const decision: Decision = { verdict: "ask", findings: [finding] };
const allowed: Settlement = { kind: "allow", by: { kind: "rule" } };
const asked: Settlement = { kind: "ask", open: [finding] };
const denied: Settlement = { kind: "deny", by: { kind: "rule" }, finding, next: "stop" };
const person: Answer = { kind: "allow", by: { kind: "person", name: "ann", channel: "terminal" } };

interface World {
  readonly judgements: (Settlement | Error | { settlement: Settlement; path: string })[];
  readonly answer?: Answer | Error;
  readonly full?: boolean;
  /** One-time folders that every request uses. */
  readonly spends?: readonly AbsolutePath[];
  readonly unspendable?: boolean;
  /** For so many looks no time has passed since the judgement. */
  readonly moment?: number;
  /** What the operands are at each look; the last one stays. */
  readonly operands?: readonly string[];
}

function setUp(world: World) {
  const opened: Entry[] = [];
  const refused: Entry[] = [];
  const closed: [EntryId, Outcome][] = [];
  const questions: Question[] = [];
  const spent: (readonly string[])[] = [];
  const queue = [...world.judgements];
  const looks = [...(world.operands ?? [""])];
  const gate = createGate({
    judge: {
      judge(): Judgement & { action: never } {
        const next = queue.shift();
        if (next === undefined || next instanceof Error) throw next ?? new Error("judged too often");
        const settlement = "settlement" in next ? next.settlement : next;
        const action = { ...intent, path: "path" in next ? next.path : path, session: subject.session };
        return { decision, settlement, action, spends: world.spends ?? [] } as unknown as Judgement & { action: never };
      },
    },
    asker: {
      async ask(question) {
        questions.push(question);
        if (world.answer === undefined || world.answer instanceof Error) throw world.answer ?? new Error("nobody");
        return world.answer;
      },
    },
    recorder: {
      open(entry) {
        if (world.full === true) throw new Problem("unavailable", "the record cannot be written");
        opened.push(entry);
        return `e${opened.length}` as EntryId;
      },
      refuse(entry) {
        refused.push(entry);
        return "r" as EntryId;
      },
      close: (id, outcome) => void closed.push([id, outcome]),
    },
    narrator: {
      title: () => "stat /work/a",
      drafts: () => [],
      denial: (_decision, _finding, next) => ({
        effect: "stat /work/a",
        ruleId: "",
        source: "default",
        because: "no rule allows it",
        missing: "fs_read",
        next,
      }),
    },
    states: () => [{ kind: "file", path, state: (looks.length > 1 ? looks.shift() : looks[0]) ?? "" }],
    moment() {
      let left = world.moment ?? 0;
      return () => left-- > 0;
    },
    spend(session, roots) {
      if (world.unspendable === true) throw new Problem("unavailable", "the session could not be stored");
      spent.push([session, ...roots]);
    },
  });
  return { gate, opened, refused, closed, questions, spent };
}

const live = (): AbortSignal => new AbortController().signal;

describe("the gate", () => {
  it("opens the entry before it gives a permit, and records one outcome", async () => {
    const world = setUp({ judgements: [allowed] });
    const admission = await world.gate.admit(subject, intent, live());
    expect(world.opened).toHaveLength(1);
    expect(Permit.redeem(admission.permit, "stat").path).toBe(path);
    admission.end({ kind: "done", facts: { bytes: 3 } });
    admission.end({ kind: "abandoned", reason: "late clean-up" });
    expect(world.closed).toEqual([["e1", { kind: "done", facts: { bytes: 3 } }]]);
  });

  it("gives no permit where the record cannot be written", async () => {
    const world = setUp({ judgements: [allowed], full: true });
    await expect(world.gate.admit(subject, intent, live())).rejects.toMatchObject({ code: "unavailable" });
  });

  it("runs what a person edited only while it would do what it did when it was allowed", async () => {
    const edited = { kind: "edit-and-allow", by: person.by, edited: "ls -l" } as const;
    const first = setUp({ judgements: [asked, allowed, allowed], answer: edited });
    await first.gate.admit(subject, shell("ls"), live());
    const operands = first.questions[0]?.editable?.attempt("ls -l").operands ?? "";
    const same = setUp({ judgements: [asked, allowed], answer: { ...edited, editedOperands: operands } });
    await same.gate.admit(subject, shell("ls"), live());
    expect(same.opened).toMatchObject([{ intent: shell("ls -l"), asked: shell("ls") }]);
    const answer = { ...edited, editedOperands: operands };
    const rewritten = setUp({ judgements: [asked, allowed], answer, operands: ["", "another script"] });
    await expect(rewritten.gate.admit(subject, shell("ls"), live())).rejects.toMatchObject({ code: "aborted" });
    expect([rewritten.opened.length, rewritten.refused.length]).toEqual([0, 1]);
  });

  it("spends one-time folders before it gives a permit, and gives none where it cannot", async () => {
    const spends = [path];
    const world = setUp({ judgements: [allowed, denied, asked, asked], answer: person, spends });
    const admission = await world.gate.admit(subject, intent, live());
    expect(admission.action).toMatchObject({ kind: "stat", path });
    expect(world.spent).toEqual([["s1", path]]);
    await expect(world.gate.admit(subject, intent, live())).rejects.toMatchObject({ code: "permission_denied" });
    expect(world.spent).toHaveLength(1);
    await world.gate.admit(subject, intent, live());
    expect(world.spent).toHaveLength(2);
    const stuck = setUp({ judgements: [allowed], spends, unspendable: true });
    await expect(stuck.gate.admit(subject, intent, live())).rejects.toMatchObject({ code: "unavailable" });
    expect(stuck.opened).toEqual([]);
  });

  it("refuses and records a denial with its structure", async () => {
    const world = setUp({ judgements: [denied] });
    await expect(world.gate.admit(subject, intent, live())).rejects.toMatchObject({
      code: "permission_denied",
      denial: { next: "stop", missing: "fs_read", entry: "r" },
    });
    expect(world.refused).toHaveLength(1);
    expect(world.opened).toHaveLength(0);
  });

  it("denies what cannot be judged, and keeps the cause from the caller", async () => {
    const world = setUp({ judgements: [new Error("secret detail")] });
    const problem = await world.gate.admit(subject, intent, live()).catch((error: unknown) => error);
    expect(problem).toMatchObject({
      code: "permission_denied",
      denial: { because: expect.stringContaining("could not be judged") as string },
    });
    expect((problem as Problem).message).not.toContain("secret detail");
    expect(world.refused).toHaveLength(1);
  });

  it("passes on what the judge says of bad input", async () => {
    const world = setUp({ judgements: [new Problem("not_found", "cwd: no such folder")] });
    await expect(world.gate.admit(subject, intent, live())).rejects.toMatchObject({ code: "not_found" });
    expect(world.refused).toHaveLength(0);
  });

  it("admits by a person after judging again", async () => {
    const world = setUp({ judgements: [asked, asked], answer: person });
    await world.gate.admit(subject, intent, live());
    expect(world.questions).toHaveLength(1);
    expect(world.opened[0]?.by).toEqual(person.by);
  });

  it.each([
    ["a rule denies by then", denied, "permission_denied"],
    ["the action changed", { settlement: asked, path: "/etc/passwd" }, "aborted"],
    [
      "more needs an answer",
      {
        kind: "ask",
        open: [finding, { ...finding, effect: { kind: "delete", path, exact: true } }],
      } satisfies Settlement,
      "aborted",
    ],
  ] as const)("refuses what a person allowed where %s", async (_name, second, code) => {
    const world = setUp({ judgements: [asked, second], answer: person });
    await expect(world.gate.admit(subject, intent, live())).rejects.toMatchObject({ code });
    expect(world.opened).toHaveLength(0);
    expect(world.refused).toHaveLength(1);
  });

  it("refuses what a person allowed where a file that it uses is another by then", async () => {
    const world = setUp({ judgements: [asked, asked], answer: person, operands: ["as it was", "rewritten"] });
    await expect(world.gate.admit(subject, intent, live())).rejects.toMatchObject({
      code: "aborted",
      denial: { because: expect.stringContaining("content of a file") as string },
    });
    expect(world.questions[0]?.operands).toContain("as it was");
    expect(world.opened).toHaveLength(0);
    expect(world.refused).toHaveLength(1);
  });

  it("looks what would change where a person is asked, and only there", async () => {
    const parts = [{ label: "diff", text: "-a\n+b" }];
    const looked: unknown[] = [];
    const preview: MakePreview<StatIntent> = async ({ action }) => {
      looked.push(action.path);
      return { parts, key: "k" };
    };
    const quiet = setUp({ judgements: [allowed] });
    await quiet.gate.admit(subject, intent, live(), preview);
    expect(looked).toEqual([]);
    const world = setUp({ judgements: [asked, asked], answer: person, operands: ["state"] });
    await world.gate.admit(subject, intent, live(), preview);
    expect(looked).toEqual([path]);
    expect(world.questions).toMatchObject([
      { preview: parts, operands: expect.stringMatching(/state.*\nk$/) as string },
    ]);
    expect(world.opened).toHaveLength(1);
  });

  it("asks nobody where it can only fail, and records that", async () => {
    const world = setUp({ judgements: [asked], answer: person });
    const preview: MakePreview<StatIntent> = async () => {
      throw new Problem("not_found", "/work/a: no such file");
    };
    await expect(world.gate.admit(subject, intent, live(), preview)).rejects.toMatchObject({ code: "not_found" });
    expect([world.questions, world.opened, world.refused.length]).toEqual([[], [], 1]);
  });

  it("tells the caller what the person said", async () => {
    const world = setUp({
      judgements: [asked],
      answer: { kind: "deny", by: person.by, message: "use the staging host" },
    });
    await expect(world.gate.admit(subject, intent, live())).rejects.toMatchObject({
      denial: { because: "use the staging host", source: "person" },
    });
  });

  it("records a question whose caller went away", async () => {
    const controller = new AbortController();
    const world = setUp({ judgements: [asked], answer: new Error("withdrawn") });
    const pending = world.gate.admit(subject, intent, controller.signal);
    controller.abort();
    await expect(pending).rejects.toMatchObject({ code: "cancelled" });
    expect(world.refused[0]?.denial?.because).toContain("went away");
  });

  it("does not judge for a caller that is gone already", async () => {
    const world = setUp({ judgements: [] });
    await expect(world.gate.admit(subject, intent, AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
  });

  it("says what an answer before a restart needs: use and record in one step, of an act and of a denial", async () => {
    const steps: string[] = [];
    const useUp = <T>(record: () => T): T => {
      steps.push("used");
      const result = record();
      steps.push("stored");
      return result;
    };
    const allows = setUp({ judgements: [asked, asked], answer: { ...person, useUp } });
    await allows.gate.admit(subject, intent, live());
    expect([steps, allows.opened.length]).toEqual([["used", "stored"], 1]);
    const denies = setUp({ judgements: [asked], answer: { ...person, kind: "deny", useUp } });
    await expect(denies.gate.admit(subject, intent, live())).rejects.toMatchObject({ code: "permission_denied" });
    expect([steps.length, denies.refused.length]).toEqual([4, 1]);
  });

  it("closes the record, and gives no permit, where the use of an answer cannot be stored", async () => {
    const useUp = <T>(record: () => T): T => {
      record();
      throw new Problem("aborted", "used by another request");
    };
    const world = setUp({ judgements: [asked, asked], answer: { ...person, useUp } });
    await expect(world.gate.admit(subject, intent, live())).rejects.toMatchObject({ code: "aborted" });
    expect(world.closed).toMatchObject([["e1", { kind: "failed" }]]);
  });

  describe("looks once more before the act", () => {
    it.each([
      ["a rule denies by then", [allowed, denied], "permission_denied", /no rule allows it/],
      ["what allowed it is gone", [allowed, asked], "permission_denied", /what allowed it does not by now/],
      ["it cannot be judged", [allowed, new Error("x")], "aborted", /could not be judged again/],
      [
        "it is another by then",
        [asked, asked, { settlement: asked, path: "/etc" }],
        "aborted",
        /path was "\/work\/a", is "\/etc"/,
      ],
    ] as const)("and refuses where %s", async (_what, judgements, code, message) => {
      const world = setUp({ judgements: [...judgements], answer: person });
      const admission = await world.gate.admit(subject, intent, live());
      expect(() => admission.confirm()).toThrow(
        expect.objectContaining({ code, message: expect.stringMatching(message) as string }),
      );
    });

    it("and goes on where nothing changed, by rule and by answer", async () => {
      const byRule = setUp({ judgements: [allowed, allowed] });
      (await byRule.gate.admit(subject, intent, live())).confirm();
      const byPerson = setUp({ judgements: [asked, asked, asked], answer: person });
      (await byPerson.gate.admit(subject, intent, live())).confirm();
    });

    it("and not where no wait lies between the judgement and the act", async () => {
      const world = setUp({ judgements: [allowed, denied], moment: 1 });
      const admission = await world.gate.admit(subject, intent, live());
      admission.confirm();
      expect(() => admission.confirm()).toThrow("no rule allows it");
    });

    it("at the files alone where the request took a one-time folder away", async () => {
      const spends = [path];
      const same = setUp({ judgements: [asked, asked], answer: person, spends });
      (await same.gate.admit(subject, intent, live())).confirm();
      const other = setUp({ judgements: [asked, asked], answer: person, spends, operands: ["a", "a", "b"] });
      const admission = await other.gate.admit(subject, intent, live());
      expect(() => admission.confirm()).toThrow("content of a file");
    });
  });
});
