import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { contractImage } from "../sandbox/contract/image.ts";
import { SecondEngine } from "../sandbox/second-engine.ts";
import { FaultsWorld, type Running } from "./faults-world.ts";

const obstacle = SecondEngine.obstacle();
if (obstacle !== undefined) console.log(`faults of an engine are skipped: ${obstacle}`);

/** The one end that a client is told of where its sandbox went away under it. */
const lost = {
  exits: 0,
  error: { code: "unavailable", message: expect.stringContaining("the sandbox is gone") as string },
};

describe.skipIf(obstacle !== undefined)("an engine of one's own", () => {
  const world = new FaultsWorld();
  beforeAll(() => world.open());
  afterAll(() => world[Symbol.asyncDispose]());

  afterEach(async () => {
    // Whatever has happened: nothing is left of it, and the record holds.
    for (const { id } of (await world.admin.sessions.list({})).sessions)
      await world.admin.sessions.close({ sessionId: id });
    await expect.poll(() => world.leftovers(), { timeout: 60_000 }).toEqual([]);
    expect(await world.admin.audit.verify({})).toMatchObject({ ok: true });
  });

  /** The client learns once that it is lost, and the record says that it failed. */
  async function isLost({ entryId, ended }: Running): Promise<void> {
    expect(await ended).toMatchObject(lost);
    expect(await world.recorded(entryId)).toMatchObject({
      kinds: ["opened", "closed"],
      outcome: { kind: "failed", reason: expect.stringContaining("the sandbox is gone") as string },
    });
  }

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "that ends by %s and starts again takes what ran along, and nothing else",
    async (signal) => {
      const sessionId = await world.session();
      const command = { shell: "echo up; sleep 1000" };
      const running = await world.begin(sessionId);
      const { processId } = await world.admin.background({ sessionId, command });
      await world.engine.stop(signal);
      await expect(world.output(await world.session(), "true")).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("the container engine is gone") as string,
      });
      await world.engine.start();
      await isLost(running);
      await isLost({ entryId: processId, ended: running.ended });
      expect(await world.output(sessionId, "echo again")).toBe("again\n");
    },
  );

  it("that is paused holds up nobody who needs it not, and the others no longer than a deadline", async () => {
    const sessionId = await world.session();
    const leaving = await world.session();
    const other = await world.session();
    const running = await world.begin(sessionId);
    await world.begin(leaving);
    process.kill(world.engine.pid, "SIGSTOP");
    try {
      const late = expect(world.output(other, "true")).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("the container engine did not answer") as string,
      });
      expect(await world.output(sessionId, "echo goes on")).toBe("goes on\n");
      await world.admin.sessions.close({ sessionId: leaving });
      await late;
    } finally {
      process.kill(world.engine.pid, "SIGCONT");
    }
    expect(await world.output(other, "echo at last")).toBe("at last\n");
    await world.admin.sessions.close({ sessionId });
    await isLost(running);
  });

  it("that has lost the image says which, while warm sandboxes go on", async () => {
    const warm = await world.session();
    expect(await world.output(warm, "echo one")).toBe("one\n");
    await world.loseImage();
    expect(await world.output(warm, "echo two")).toBe("two\n");
    const cold = await world.session();
    await expect(world.output(cold, "true")).rejects.toMatchObject({
      code: "failed_precondition",
      message: expect.stringContaining(`${contractImage} is not on this machine`) as string,
    });
    await world.restoreImage();
    expect(await world.output(cold, "echo three")).toBe("three\n");
  });

  it("whose disk is full says so, leaves nothing half made, and works once there is room", async () => {
    const warm = await world.session();
    expect(await world.output(warm, "echo one")).toBe("one\n");
    const filler = join(world.engine.data, "filler");
    execFileSync("sh", ["-c", 'cat /dev/zero > "$0" 2>/dev/null || true', filler]);
    try {
      expect(await world.output(warm, "echo two")).toBe("two\n");
      const cold = await world.session();
      await expect(world.output(cold, "true")).rejects.toMatchObject({
        code: "resource_exhausted",
        message: expect.stringContaining("no room on its disk left") as string,
      });
      expect(await world.containers()).toHaveLength(1);
    } finally {
      rmSync(filler);
    }
    expect(await world.output(await world.session(), "echo three")).toBe("three\n");
  });

  it("whose machine has no processes left says so to new and old sandboxes, and works once it has", async () => {
    const warm = await world.session();
    const running = await world.begin(warm);
    world.boundProcesses(1);
    try {
      for (const sessionId of [warm, await world.session()])
        await expect(world.output(sessionId, "true")).rejects.toMatchObject({
          code: "resource_exhausted",
          message: expect.stringMatching(/processes or memory/) as string,
        });
    } finally {
      world.boundProcesses("max");
    }
    expect(await world.output(warm, "echo again")).toBe("again\n");
    await world.admin.sessions.close({ sessionId: warm });
    await isLost(running);
  });

  it("whose container is killed from outside: its commands are lost, the next one gets another", async () => {
    const sessionId = await world.session();
    const running = [await world.begin(sessionId), await world.begin(sessionId)];
    const [id = ""] = await world.containers();
    await world.engine.docker.getContainer(id).kill();
    for (const each of running) await isLost(each);
    expect(await world.output(sessionId, "echo again")).toBe("again\n");
    await expect.poll(() => world.containers(), { timeout: 30_000 }).not.toContain(id);
  });

  it("whose container is frozen from outside: a deadline still ends its command", async () => {
    const sessionId = await world.session();
    const command = { shell: "echo up; sleep 1000" };
    const running = await world.begin(sessionId, { command, timeoutMs: 3000, graceMs: 100 });
    const [id = ""] = await world.containers();
    await world.engine.docker.getContainer(id).pause();
    await isLost(running);
    expect(await world.output(sessionId, "echo again")).toBe("again\n");
    await expect.poll(() => world.containers(), { timeout: 30_000 }).not.toContain(id);
  });
});
