import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { InsideConnection, Process } from "../../src/model/runtime.ts";
import { docker, ensureEngine, makeFolder } from "./engine.ts";
import { Bench, finish, run, spawn, waitFor } from "./harness.ts";
import { untilNoneOf } from "./list-containers.ts";

let neighbour: Bench;
let bystander: Process;
let said = 0;
beforeAll(async () => {
  await ensureEngine();
  neighbour = new Bench();
  bystander = await spawn(await neighbour.open(), {
    text: 'while read -r line; do echo "$line"; done',
    stdin: true,
    background: true,
  });
});
afterAll(async () => {
  bystander.closeStdin();
  expect((await finish(bystander)).exit.code).toBe(0);
  await neighbour[Symbol.asyncDispose]();
});

/** A command in another session that goes on through all of this. */
async function neighbourGoesOn(): Promise<void> {
  const line = `line ${++said}\n`;
  await bystander.writeStdin(Buffer.from(line));
  expect(await waitFor(bystander, line)).toBe(line);
}

/** A runtime whose sandboxes have an init that misbehaves so. */
function hostile(mode: string): Bench {
  const init = join(makeFolder("sp-hostile-"), "init");
  const program = readFileSync(join(import.meta.dirname, "hostile-init.py"), "utf8");
  writeFileSync(init, `#!/usr/bin/python3\nMODE = ${JSON.stringify(mode)}\n${program}`);
  chmodSync(init, 0o755);
  return new Bench({ initPath: init, killDeadlineMs: 500 });
}

describe("an init that sends what it must not loses its container, and nobody else notices", () => {
  test.each([
    "unknown frame",
    "unknown channel",
    "a frame of the sidecar's",
    "output before the start",
    "more output than was granted",
    "a frame that is too long",
    "a control frame of another length",
    "two starts",
    "credit for nothing",
    "another hello",
    "a connection on a command's channel",
    "one connection twice",
    "a connection that ends twice",
    "data after a connection's end",
    "more for a connection than was granted",
    "credit for nothing on a connection",
    "connections without end",
    "a refusal after the start",
    "an exit before the start",
    "an exit that is none",
    "half a frame and the end",
    "random bytes",
  ])("%s", async (mode) => {
    await using bench = hostile(mode);
    const sandbox = await bench.open();
    const connections: InsideConnection[] = [];
    sandbox.onConnection((connection) => void connections.push(connection));
    // The reader of the output stands still: what comes must not pile up for it.
    const failed = spawn(sandbox, { text: "true", stdin: true }).then((process) =>
      process.end().then(() => finish(process)),
    );
    await expect(failed).rejects.toMatchObject({ code: "unavailable" });
    expect(await sandbox.gone).not.toBe("closed");
    expect(connections.length).toBeLessThanOrEqual(256);
    // Whoever serves one is told.
    for (const connection of connections)
      await expect(readAll(connection)).rejects.toMatchObject({ code: "unavailable" });
    await untilNoneOf(docker, bench.owner);
    await expect(run(sandbox, "true")).rejects.toMatchObject({ code: "unavailable" });
    await neighbourGoesOn();
  });

  test.each(["two exits", "output after the exit", "a start after the exit"])(
    "%s, which comes too late to change how the command ended",
    async (mode) => {
      await using bench = hostile(mode);
      const sandbox = await bench.open();
      const exits = (await finish(await spawn(sandbox, { text: "true" }))).exit;
      expect(exits).toMatchObject({ code: 0 });
      expect(await sandbox.gone).not.toBe("closed");
      await untilNoneOf(docker, bench.owner);
      await neighbourGoesOn();
    },
  );

  test.each([
    [137, "unavailable", "was killed"],
    [1, "failed_precondition", "status 1"],
  ])("an end by status %i before it connects", async (status, code, words) => {
    const init = join(makeFolder("sp-hostile-"), "init");
    writeFileSync(init, `#!/bin/sh\nexit ${status}\n`);
    chmodSync(init, 0o755);
    await using bench = new Bench({ initPath: init });
    await expect(bench.open()).rejects.toMatchObject({ code, message: expect.stringContaining(words) as string });
    await untilNoneOf(docker, bench.owner);
    await neighbourGoesOn();
  });

  test("silence, which a kill ends", async () => {
    await using bench = hostile("nothing any more");
    const sandbox = await bench.open();
    const process = await spawn(sandbox, { text: "true" });
    await process.kill();
    expect(await sandbox.gone).toBe("a command could not be killed");
    await expect(finish(process)).rejects.toMatchObject({ code: "unavailable" });
    await untilNoneOf(docker, bench.owner);
    await neighbourGoesOn();
  });

  test("a second refusal, which comes too late as well", async () => {
    await using bench = hostile("two refusals");
    const sandbox = await bench.open();
    await expect(run(sandbox, "true")).rejects.toMatchObject({ code: "not_found" });
    expect(await sandbox.gone).toContain("where no command is");
    await untilNoneOf(docker, bench.owner);
    await neighbourGoesOn();
  });

  test("numbers that cannot be, which are cut to what can be told", async () => {
    await using bench = hostile("absurd numbers");
    const { exit } = await finish(await spawn(await bench.open(), { text: "true" }));
    expect(exit).toMatchObject({ code: 5, usage: { maxRssBytes: Number.MAX_SAFE_INTEGER } });
  });

  test.each(["a flood of connections", "a flood for a connection that nobody opened"])(
    "%s, which has its turns like everybody",
    async (mode) => {
      await using bench = hostile(mode);
      const sandbox = await bench.open();
      sandbox.onConnection(() => {});
      const flooded = spawn(sandbox, { text: "true" }).then(finish);
      await neighbourGoesOn();
      expect((await flooded).exit.code).toBe(5);
      await neighbourGoesOn();
    },
  );
});

/** Reads a connection to its end. */
async function readAll(connection: InsideConnection): Promise<void> {
  while ((await connection.read()) !== undefined) continue;
}
