import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { AnswerKind, type Question } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { RuleSource, Tier } from "../../src/gen/sallyport/v1/common_pb.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

interface World {
  sallyport: RunningSallyport;
  admin: SallyportClient;
  agent: SallyportClient;
  readonly token: string;
  /** A file outside of every granted folder: to look at it is asked about. */
  readonly file: string;
}

async function start(deadline = "5m"): Promise<World> {
  const sallyport = await startSallyport({ settings: `approvals: { deadline: ${deadline} }\n` });
  const admin = sallyport.client();
  const { token } = await admin.agents.createToken({ agent: "robot", tier: Tier.FULL });
  const outside = join(sallyport.home, "outside");
  mkdirSync(outside);
  const file = join(outside, "data");
  writeFileSync(file, "data");
  const world: World = { sallyport, admin, agent: sallyport.client(token), token, file };
  onTestFinished(() => world.sallyport.remove());
  return world;
}

async function restart(world: World, end: "kill" | "stop"): Promise<void> {
  const { home, workspace, process } = world.sallyport;
  // While its clients are connected: one that hangs up first takes its question along.
  if (process.exitCode === null && process.signalCode === null) {
    const exited = once(process, "exit");
    process.kill(end === "kill" ? "SIGKILL" : "SIGTERM");
    await exited;
  }
  await world.sallyport.stop();
  world.sallyport = await startSallyport({ home, workspace });
  world.admin = world.sallyport.client();
  world.agent = world.sallyport.client(world.token);
}

/** What came of looking at the file: `ok`, or the code of the refusal. */
async function look({ agent, file }: World, path = file): Promise<string> {
  return agent.files.stat({ path }).then(
    () => "ok",
    (error: unknown) => String((error as { readonly code?: unknown }).code),
  );
}

async function onlyQuestion({ admin }: World): Promise<Question> {
  await expect.poll(async () => (await admin.approvals.list({})).questions.length, { timeout: 20_000 }).toBe(1);
  const [question] = (await admin.approvals.list({})).questions;
  if (question === undefined) throw new Error("no question");
  return question;
}

describe("a question over a restart", () => {
  it.each(["kill", "stop"] as const)(
    "is announced again after a %s, answered while nobody waits, and used once by the same request",
    async (end) => {
      const world = await start();
      const asked = look(world);
      const before = await onlyQuestion(world);
      expect(before.waitsForCaller).toBe(false);
      await restart(world, end);
      expect(await asked).toMatch(/unavailable|cancelled/);
      const after = await onlyQuestion(world);
      expect(after).toMatchObject({ id: before.id, title: before.title, deadline: before.deadline, waiting: 0 });
      expect(after.waitsForCaller).toBe(true);
      expect(after.answers).not.toContain(AnswerKind.EDIT_AND_ALLOW);
      // A watcher is told of it as of any other.
      for await (const { event } of world.admin.approvals.watch({})) {
        expect(event.case === "opened" && event.value.id).toBe(before.id);
        break;
      }
      await world.admin.approvals.answer({ questionId: before.id, answer: AnswerKind.ALLOW });
      expect((await world.admin.approvals.list({})).questions).toEqual([]);
      // It survives another one, is no answer to another request, and is used up by the first.
      await restart(world, "kill");
      const other = `${world.file}.other`;
      writeFileSync(other, "x");
      const another = look(world, other);
      const question = await onlyQuestion(world);
      await world.admin.approvals.answer({ questionId: question.id, answer: AnswerKind.DENY });
      expect(await another).toBe("permission_denied");
      expect(await look(world)).toBe("ok");
      const again = look(world);
      const { id } = await onlyQuestion(world);
      expect(id).not.toBe(before.id);
      await world.admin.approvals.answer({ questionId: id, answer: AnswerKind.DENY });
      expect(await again).toBe("permission_denied");
      const { records } = await world.admin.audit.query({ limit: 100 });
      const opened = records.filter(({ kind, agent }) => kind === "opened" && agent === "robot");
      expect(opened).toHaveLength(1);
      expect(JSON.parse(opened[0]?.bodyJson ?? "{}")).toMatchObject({
        by: { kind: "person", name: "local", channel: "socket" },
      });
      expect(await world.admin.audit.verify({})).toMatchObject({ ok: true });
    },
    240_000,
  );

  it("is answered like any other where whoever asked asks again first", async () => {
    const world = await start();
    const asked = look(world);
    const before = await onlyQuestion(world);
    await restart(world, "kill");
    await asked;
    const again = look(world);
    await expect.poll(async () => (await onlyQuestion(world)).waiting, { timeout: 20_000 }).toBe(1);
    const after = await onlyQuestion(world);
    expect(after).toMatchObject({ id: before.id, waitsForCaller: false, deadline: before.deadline });
    await world.admin.approvals.answer({ questionId: after.id, answer: AnswerKind.ALLOW });
    expect(await again).toBe("ok");
  }, 240_000);

  it("ends at its old deadline also where that passes while nothing runs", async () => {
    const world = await start("1s");
    const asked = look(world);
    // It may have ended by its timer already; then it was no question any more.
    const seen = (await world.admin.approvals.list({})).questions;
    await world.sallyport.kill();
    await asked;
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(seen[0]?.deadline ?? "1970-01-01"));
    await restart(world, "kill");
    expect((await world.admin.approvals.list({})).questions).toEqual([]);
    for (const { id: questionId } of seen)
      await expect(world.admin.approvals.answer({ questionId, answer: AnswerKind.ALLOW })).rejects.toMatchObject({
        message: expect.stringContaining("the deadline answered deny") as string,
      });
  }, 240_000);

  it("is gone where its caller hung up while the sidecar lived", async () => {
    const world = await start();
    const hanging = new AbortController();
    const asked = world.agent.files
      .stat({ path: world.file }, { signal: hanging.signal })
      .catch((error: unknown) => error);
    await onlyQuestion(world);
    hanging.abort();
    await asked;
    await expect.poll(async () => (await world.admin.approvals.list({})).questions).toEqual([]);
    await restart(world, "kill");
    expect((await world.admin.approvals.list({})).questions).toEqual([]);
  }, 240_000);

  it("keeps the rules of a session that end by the clock", async () => {
    const world = await start();
    const asked = look(world);
    const { id } = await onlyQuestion(world);
    await world.admin.approvals.answer({ questionId: id, answer: AnswerKind.ALLOW_FOR, forSeconds: 3600 });
    expect(await asked).toBe("ok");
    const rules = async () => (await world.agent.policy.listRules({ source: RuleSource.SESSION })).rules;
    const before = await rules();
    expect(Date.parse(before[0]?.expiresAt ?? "") - Date.now()).toBeLessThanOrEqual(3_600_000);
    await restart(world, "kill");
    expect(await rules()).toEqual(before);
    expect(await look(world)).toBe("ok");
  }, 240_000);
});
