import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { AnswerKind, type Question } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { Tier } from "../../src/gen/sallyport/v1/common_pb.ts";
import { startSallyport } from "./support/start-sallyport.ts";

// One agent may put 120 new questions a minute to people: ten of them ask a hundred each.
const agents = 10;
const rounds = 100;

it("of two surfaces that answer at the same instant, 1,000 times, one wins and both see the same", async () => {
  const sallyport = await startSallyport();
  onTestFinished(() => sallyport.remove());
  const surfaces = [sallyport.client(), sallyport.client()] as const;
  const [admin] = surfaces;
  // To look at what lies outside of every granted folder is asked about, and needs no sandbox.
  const outside = join(sallyport.home, "outside");
  mkdirSync(outside);
  const path = join(outside, "data");
  writeFileSync(path, "data");

  /** By question, what each surface was told of its end. */
  const seen = surfaces.map(() => new Map<string, string>());
  const winners = new Map<string, AnswerKind>();
  const stop = new AbortController();
  let turn = 0;

  async function race({ id }: Question): Promise<void> {
    turn += 1;
    const first = turn % 2 === 0 ? AnswerKind.ALLOW : AnswerKind.DENY;
    const answers = [first, first === AnswerKind.ALLOW ? AnswerKind.DENY : AnswerKind.ALLOW];
    const tries = await Promise.allSettled(
      surfaces.map((surface, at) =>
        surface.approvals.answer({ questionId: id, answer: answers[at] ?? AnswerKind.DENY }),
      ),
    );
    const won = tries.flatMap(({ status }, at) => (status === "fulfilled" ? [answers[at] ?? AnswerKind.DENY] : []));
    expect(won).toHaveLength(1);
    for (const lost of tries)
      if (lost.status === "rejected") expect(lost.reason).toMatchObject({ code: "failed_precondition" });
    winners.set(id, won[0] ?? AnswerKind.DENY);
  }

  const races: Promise<void>[] = [];
  const watching = surfaces.map(async (surface, at) => {
    try {
      for await (const { event } of surface.approvals.watch({}, { signal: stop.signal }))
        if (event.case === "closed") seen[at]?.set(event.value.id, `${event.value.answer} ${event.value.by}`);
        else if (at === 0 && event.case === "opened") races.push(race(event.value));
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  });

  const looks = Array.from({ length: agents }, async (_none, at) => {
    const { token } = await admin.agents.createToken({ agent: `robot-${at}`, tier: Tier.FULL });
    const agent = sallyport.client(token);
    let allowed = 0;
    for (let round = 0; round < rounds; round += 1)
      await agent.files.stat({ path }).then(
        () => (allowed += 1),
        (error: unknown) => expect(error).toMatchObject({ code: "permission_denied" }),
      );
    return allowed;
  });
  const allowed = (await Promise.all(looks)).reduce((sum, count) => sum + count, 0);
  await Promise.all(races);
  expect(winners.size).toBe(agents * rounds);
  // What the agents met is what the winners said.
  expect([...winners.values()].filter((answer) => answer === AnswerKind.ALLOW)).toHaveLength(allowed);
  for (const list of seen) await expect.poll(() => list.size, { timeout: 60_000 }).toBe(agents * rounds);
  for (const [id, answer] of winners) for (const list of seen) expect(list.get(id)).toBe(`${answer} local on socket`);
  stop.abort();
  await Promise.all(watching);
}, 600_000);
