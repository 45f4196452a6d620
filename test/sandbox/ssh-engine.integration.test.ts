import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { busyboxImage, ensureEngine } from "./engine.ts";
import { Bench, finish, run, spawn } from "./harness.ts";
import { SshServer } from "./ssh-server.ts";

const obstacle = SshServer.obstacle();
if (obstacle !== undefined) console.warn(`an engine over ssh is not tested here: ${obstacle}`);

describe.skipIf(obstacle !== undefined)("an engine over ssh", () => {
  const server = new SshServer();
  beforeAll(async () => {
    await ensureEngine();
    await server.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  function bench(client: Parameters<SshServer["client"]>[0] = {}): Bench {
    return new Bench({ engineHost: server.engineHost, sshProgram: server.client(client) });
  }

  test("carries commands, their streams and their end over its attach stream", async () => {
    await using far = bench();
    expect(await far.runtime.probe()).toMatchObject({ available: true, carrier: "attach" });
    const sandbox = await far.open({ image: busyboxImage });
    const data = Buffer.alloc(3 * 1024 * 1024 + 17, "0123456789abcdef");
    const process = await spawn(sandbox, { argv: ["cat"], stdin: true });
    const writing = (async () => {
      await process.writeStdin(data);
      process.closeStdin();
    })();
    expect((await finish(process)).stdout === data.toString()).toBe(true);
    await writing;
    expect((await run(sandbox, { argv: ["sh", "-c", "echo far; exit 7"] })).exit.code).toBe(7);
    await sandbox.close();
    expect(await sandbox.gone).toBe("closed");
    expect(await far.runtime.removeOrphans()).toBe(0);
  });

  test("runs commands beside each other", async () => {
    await using far = bench();
    const sandbox = await far.open({ image: busyboxImage });
    const all = Array.from({ length: 20 }, (_, index) => run(sandbox, { argv: ["echo", String(index)] }));
    expect((await Promise.all(all)).map(({ stdout }) => stdout)).toEqual(all.map((_, index) => `${index}\n`));
  });

  test.each([
    ["that nobody knows", { knows: false }, /Host key verification failed/],
    ["that does not know the key", { key: "stranger" }, /Permission denied/],
  ] as const)("%s is not used, and ssh's reason is told", async (_, client, reason) => {
    await using far = bench(client);
    await expect(far.open({ image: busyboxImage })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(reason) as string,
    });
    expect(await far.runtime.probe()).toMatchObject({
      available: false,
      reason: expect.stringMatching(reason) as string,
    });
  });

  test("without an ssh says so", async () => {
    await using far = new Bench({ engineHost: server.engineHost, sshProgram: "/nonexistent/ssh" });
    await expect(far.open()).rejects.toMatchObject({ message: expect.stringContaining("cannot be run") as string });
  });

  test("that is cut off ends what runs, and is reached again", async () => {
    await using far = bench();
    const sandbox = await far.open({ image: busyboxImage });
    const process = await spawn(sandbox, { argv: ["sleep", "1000"] });
    server.cut();
    await expect(finish(process)).rejects.toMatchObject({ code: "unavailable" });
    await sandbox.gone;
    const again = await far.open({ image: busyboxImage });
    expect((await run(again, { argv: ["echo", "again"] })).stdout).toBe("again\n");
  });
});
