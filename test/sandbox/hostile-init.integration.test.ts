import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Process } from "../../src/model/runtime.ts";
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
    "half a frame and the end",
    "random bytes",
  ])("%s", async (mode) => {
    await using bench = hostile(mode);
    const sandbox = await bench.open();
    // The reader of the output stands still: what comes must not pile up for it.
    const failed = spawn(sandbox, { text: "true", stdin: true }).then((process) =>
      process.end().then(() => finish(process)),
    );
    await expect(failed).rejects.toMatchObject({ code: "unavailable" });
    expect(await sandbox.gone).not.toBe("closed");
    await untilNoneOf(docker, bench.owner);
    await expect(run(sandbox, "true")).rejects.toMatchObject({ code: "unavailable" });
    await neighbourGoesOn();
  });

  test.each(["two exits", "output after the exit"])(
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

  test("connections without end, which are refused past a bound", async () => {
    await using bench = hostile("connections without end");
    const sandbox = await bench.open();
    let connections = 0;
    sandbox.onConnection(() => void (connections += 1));
    expect((await finish(await spawn(sandbox, { text: "true" }))).exit.code).toBe(5);
    expect(connections).toBe(256);
    await neighbourGoesOn();
  });
});
