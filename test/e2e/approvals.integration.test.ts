import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { AnswerKind, RulesFile } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { RuleSource, Tier, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { type CommandResult, runCommand } from "./support/run-command.ts";
import { type Script, scriptedApprover, type ScriptedReply } from "./support/scripted-approver.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

describe("what a person may answer", () => {
  let sallyport: RunningSallyport;
  let admin: SallyportClient;
  let agent: SallyportClient;

  beforeAll(async () => {
    sallyport = await startSallyport();
    admin = sallyport.client();
    const { token } = await admin.agents.createToken({ agent: "robot", tier: Tier.FULL });
    agent = sallyport.client(token);
  });
  afterAll(() => sallyport.remove());

  interface Answered {
    /** What the command did, or why it was refused. */
    readonly result: CommandResult | Error;
    readonly questions: ReturnType<typeof scriptedApprover>["seen"];
  }

  /** Runs a command of a session while a person answers by the script. */
  async function answering(script: Script | ScriptedReply, text: string, sessionId = ""): Promise<Answered> {
    const approver = scriptedApprover(admin, typeof script === "function" ? script : () => script);
    const result = await runCommand(agent, { sessionId, command: { shell: text } }).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
    await approver.stop();
    return { result, questions: approver.seen };
  }

  async function freshSession(key: string): Promise<string> {
    return (await agent.sessions.open({ key })).session?.id ?? "";
  }

  it("allows for the session: no question there again, but one in another session", async () => {
    const session = await freshSession("a");
    const first = await answering({ answer: AnswerKind.ALLOW_SESSION }, "uname -a; date +%Y", session);
    expect(first.result).toMatchObject({ end: { code: 0 } });
    expect(first.questions[0]).toMatchObject({ waiting: 1, group: `${session}:exec`, waitsForCaller: false });
    expect(first.questions[0]?.answers).toContain(AnswerKind.ALLOW_FOR);
    expect((await answering({ answer: AnswerKind.DENY }, "date +%Y", session)).questions).toEqual([]);
    const { rules } = await admin.policy.listRules({ sessionId: session, source: RuleSource.SESSION });
    expect(rules).toMatchObject([{ capability: "shell", match: ["date +%Y"], effect: Verdict.ALLOW, expiresAt: "" }]);
    const other = await answering({ answer: AnswerKind.DENY }, "date +%Y", await freshSession("b"));
    expect(other.questions).toHaveLength(1);
    // Taken back, it is asked again.
    await admin.policy.removeRule({ sessionId: session, source: RuleSource.SESSION, ruleId: rules[0]?.id ?? "" });
    expect((await answering({ answer: AnswerKind.DENY }, "date +%Y", session)).questions).toHaveLength(1);
  });

  it("allows for a time, which the clock ends", async () => {
    const session = await freshSession("timed");
    await answering({ answer: AnswerKind.ALLOW_FOR, forSeconds: 2 }, "date +%m", session);
    const listed = async () => (await admin.policy.listRules({ sessionId: session, source: RuleSource.SESSION })).rules;
    await expect.poll(listed, { timeout: 20_000 }).toEqual([]);
    expect((await answering({ answer: AnswerKind.DENY }, "date +%m", session)).questions).toHaveLength(1);
    const long = await answering({ answer: AnswerKind.ALLOW_FOR }, "date +%m", session);
    expect(long.result).toMatchObject({ end: { code: 0 } });
    const [rule] = await listed();
    const left = Date.parse(rule?.expiresAt ?? "") - Date.now();
    expect(left).toBeGreaterThan(800_000);
    expect(left).toBeLessThanOrEqual(900_000);
  });

  it("always allows in the file of the workspace, keeping what stands there", async () => {
    const session = await freshSession("file");
    const { questions } = await answering({ answer: AnswerKind.DENY }, "date +%d", session);
    const places = questions[0]?.places ?? [];
    expect(places.map(({ file }) => file)).toEqual([RulesFile.USER, RulesFile.WORKSPACE]);
    const path = places[1]?.path ?? "";
    writeFileSync(path, "# mine\nrules:\n  - effect: deny # never\n    capability: shell\n    match: halt\n");
    await admin.policy.listRules({});
    await expect
      .poll(async () => (await admin.policy.listRules({ source: RuleSource.WORKSPACE })).rules.length)
      .toBe(1);
    await answering({ answer: AnswerKind.ALWAYS_ALLOW, file: RulesFile.WORKSPACE }, "date +%d", session);
    const text = readFileSync(path, "utf8");
    expect(text).toContain("# mine\nrules:\n  - effect: deny # never\n    capability: shell\n    match: halt\n");
    expect(text).toMatch(/date \+%d[^]*answered by local on socket/);
    expect((await answering({ answer: AnswerKind.DENY }, "date +%d", await freshSession("c"))).questions).toEqual([]);
    // Answered again where it is still open elsewhere, it is not written twice.
    expect(text.match(/date \+%d/g)).toHaveLength(1);
  });

  it("tells the agent the message of a denial", async () => {
    const { result } = await answering({ answer: AnswerKind.DENY, message: "use the staging host" }, "date +%H");
    expect(result).toMatchObject({
      code: "permission_denied",
      denial: { because: "use the staging host", source: "person" },
    });
  });

  it("runs an edited command in the place of what was asked for, tells the agent, and records both", async () => {
    const { result, questions } = await answering(
      { answer: AnswerKind.EDIT_AND_ALLOW, edited: "echo instead; date +%j >day.txt" },
      "date +%j >/dev/null; cat",
    );
    expect(questions[0]?.editable).toBe("date +%j >/dev/null; cat");
    expect(result).toMatchObject({
      stdout: "instead\n",
      instead: { shell: "echo instead; date +%j >day.txt" },
      end: { code: 0 },
    });
    expect(readFileSync(join(sallyport.workspace, "day.txt"), "utf8")).toMatch(/^\d{3}\n$/);
    const entryId = "entryId" in result ? result.entryId : "";
    const { records } = await admin.audit.query({ filter: { entryId } });
    const body = JSON.parse(records.find(({ kind }) => kind === "opened")?.bodyJson ?? "{}") as Record<string, unknown>;
    expect(body).toMatchObject({
      intent: { command: { text: "echo instead; date +%j >day.txt" } },
      asked: { command: { text: "date +%j >/dev/null; cat" } },
      by: { kind: "person", name: "local", question: questions[0]?.id },
    });
    // One leads to the other by its identifier.
    const answers = await admin.audit.query({ filter: { entryId: questions[0]?.id ?? "" } });
    expect(
      answers.records.map(({ kind, bodyJson }) => [kind, (JSON.parse(bodyJson) as { answer: string }).answer]),
    ).toEqual([["answered", "edit-and-allow"]]);
  });

  it.each([
    ["the blocklist", "sudo id", /sudo/],
    ["a deny rule", "halt now", /halt/],
    ["an invariant", (own: string) => `echo x >${own}`, /./],
    ["a text that is no command", "   ", /edited/],
  ])("refuses to edit past %s: the question stays open, the person is told why", async (_what, edited, reason) => {
    await admin.policy.addRule({
      rule: { source: RuleSource.USER, capability: "shell", match: ["halt*"], effect: Verdict.DENY },
    });
    const text = typeof edited === "string" ? edited : edited(join(sallyport.home, "config/sallyport/sallyport.yaml"));
    const running = runCommand(agent, { command: { shell: "date +%S" } }).catch((error: unknown) => error);
    await expect.poll(async () => (await admin.approvals.list({})).questions.length).toBe(1);
    const questionId = (await admin.approvals.list({})).questions[0]?.id ?? "";
    await expect(
      admin.approvals.answer({ questionId, answer: AnswerKind.EDIT_AND_ALLOW, edited: text }),
    ).rejects.toMatchObject({ message: expect.stringMatching(reason) as string });
    expect((await admin.approvals.list({})).questions.map(({ id }) => id)).toEqual([questionId]);
    await admin.approvals.answer({ questionId, answer: AnswerKind.DENY });
    await expect(running).resolves.toMatchObject({ code: "permission_denied" });
  });

  it("shows the agent neither what could be edited, nor lets it answer its own question", async () => {
    const running = runCommand(agent, { command: { shell: "date +%N" } }).catch((error: unknown) => error);
    await expect.poll(async () => (await agent.approvals.list({})).questions.length).toBe(1);
    const [question] = (await agent.approvals.list({})).questions;
    const questionId = question?.id ?? "";
    expect(question?.editable).toBe("");
    for (const answer of [AnswerKind.ALLOW, AnswerKind.ALLOW_SESSION, AnswerKind.EDIT_AND_ALLOW, AnswerKind.DENY])
      await expect(agent.approvals.answer({ questionId, answer })).rejects.toMatchObject({ code: "permission_denied" });
    await expect(agent.approvals.listProposals({})).rejects.toMatchObject({ code: "permission_denied" });
    await admin.approvals.answer({ questionId, answer: AnswerKind.DENY });
    await running;
  });

  it("answers several of a group together, each with its own record", async () => {
    const texts = ["date +%a", "date +%b", "date +%c"];
    const running = texts.map((text) =>
      runCommand(agent, { command: { shell: text } }).catch((error: unknown) => error),
    );
    await expect.poll(async () => (await admin.approvals.list({})).questions.length).toBe(3);
    const { questions } = await admin.approvals.list({});
    expect(new Set(questions.map(({ group }) => group)).size).toBe(1);
    const [first, ...others] = questions.map(({ id }) => id);
    const { notCounted } = await admin.approvals.answer({
      questionId: first ?? "",
      answer: AnswerKind.DENY,
      message: "not now",
      also: [...others, "unknown"],
    });
    expect(notCounted).toMatchObject([{ questionId: "unknown", reason: "there is no such question" }]);
    for (const refused of await Promise.all(running)) expect(refused).toMatchObject({ denial: { because: "not now" } });
    const { records } = await admin.audit.query({ limit: 50 });
    const answered = records.filter(({ kind, bodyJson }) => kind === "answered" && bodyJson.includes("not now"));
    expect(answered.map(({ bodyJson }) => (JSON.parse(bodyJson) as { title: string }).title).toSorted()).toEqual(
      questions.map(({ title }) => title).toSorted(),
    );
    for (const { bodyJson } of answered) expect(JSON.parse(bodyJson)).toMatchObject({ by: "local", channel: "socket" });
  });

  it("refuses what was answered where the plan is another by then, and says what changed", async () => {
    const allow = { answer: AnswerKind.ALLOW };
    const script = join(sallyport.workspace, "step.sh");
    writeFileSync(script, "echo one\n");
    const rewritten = await answering(() => {
      writeFileSync(script, "echo two\n");
      return allow;
    }, "sh step.sh");
    expect(rewritten.result).toMatchObject({ code: "aborted", message: expect.stringContaining(script) as string });

    const folder = join(sallyport.workspace, "inner");
    mkdirSync(folder);
    const inFolder = scriptedApprover(admin, () => {
      // The number of the old inode may be given to the new one.
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      return allow;
    });
    await expect(runCommand(agent, { cwd: folder, command: { shell: "date +%e" } })).rejects.toMatchObject({
      code: "aborted",
      message: expect.stringContaining(`a folder that it uses is another by now: ${folder}`) as string,
    });
    await inFolder.stop();

    const linked = scriptedApprover(admin, () => {
      renameSync(folder, `${folder}.old`);
      symlinkSync(`${folder}.old`, folder);
      return allow;
    });
    await expect(runCommand(agent, { cwd: folder, command: { shell: "date +%e" } })).rejects.toMatchObject({
      code: "aborted",
      message: expect.stringMatching(/cwd was .*inner.*, is .*inner\.old/) as string,
    });
    await linked.stop();

    const outside = join(sallyport.home, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "data"), "x");
    const swapped = await answering(() => {
      renameSync(outside, `${outside}.old`);
      mkdirSync(outside);
      writeFileSync(join(outside, "data"), "y");
      return allow;
    }, `ls -l ${outside}/data ${outside}`);
    expect(swapped.result).toMatchObject({
      code: "aborted",
      message: expect.stringMatching(/a folder that it uses is another by now|content of a file/) as string,
    });
  });

  it.each([
    [Verdict.ASK, "+%w", { code: "aborted", message: /user rule \S+ asks for it by now/ }],
    [Verdict.DENY, "+%u", { code: "permission_denied", message: /user rule \S+ denies it/ }],
  ] as const)(
    "refuses where a rule is tighter by then, with that rule (%s)",
    async (effect, word, { code, message }) => {
      const approver = scriptedApprover(admin, () => undefined);
      const running = runCommand(agent, { command: { shell: `date ${word}` } }).catch((error: unknown) => error);
      await expect.poll(() => approver.seen.length).toBe(1);
      await admin.policy.addRule({
        rule: { source: RuleSource.USER, capability: "shell", match: [`date ${word}`], effect },
      });
      await admin.approvals.answer({ questionId: approver.seen[0]?.id ?? "", answer: AnswerKind.ALLOW });
      await expect(running).resolves.toMatchObject({ code, message: expect.stringMatching(message) as string });
      await approver.stop();
    },
  );

  it("refuses what was answered where the agent lost its tier or its token while it waited", async () => {
    const { token } = await admin.agents.createToken({ agent: "bot", tier: Tier.OPERATOR });
    const bot = sallyport.client(token);
    const takes = [
      () => admin.agents.createToken({ agent: "bot", tier: Tier.BUILDER }),
      () => admin.agents.revokeTokens({ agent: "bot" }),
    ];
    for (const take of takes) {
      const approver = scriptedApprover(admin, () => undefined);
      const running = runCommand(bot, { command: { shell: "date +%y" } }).catch((error: unknown) => error);
      await expect.poll(() => approver.seen.length).toBe(1);
      await take();
      await admin.approvals.answer({ questionId: approver.seen[0]?.id ?? "", answer: AnswerKind.ALLOW });
      await expect(running).resolves.toMatchObject({
        code: "permission_denied",
        message: expect.stringContaining("tier") as string,
      });
      await approver.stop();
      await admin.agents.createToken({ agent: "bot", tier: Tier.OPERATOR });
    }
  });
});
