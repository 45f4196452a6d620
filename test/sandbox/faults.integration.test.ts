import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { busyboxImage, docker, ensureEngine } from "./engine.ts";
import { EngineProxy, type Hold } from "./engine-proxy.ts";
import { Bench, run, spawn, waitFor } from "./harness.ts";
import { untilNoneOf } from "./list-containers.ts";

beforeAll(ensureEngine);

/** The calls that make a sandbox and remove it, each held before the engine has it and after it has answered. */
const steps: readonly (readonly [string, "socket" | "attach", RegExp])[] = [
  ["looking at the image", "socket", /^GET \/images\/[^ ]*\/json/],
  ["creating the container", "socket", /^POST \/containers\/create/],
  ["starting the container", "socket", /^POST \/containers\/[0-9a-f]+\/start/],
  ["attaching to the container", "attach", /^POST \/containers\/[0-9a-f]+\/attach/],
  ["starting the attached container", "attach", /^POST \/containers\/[0-9a-f]+\/start/],
];
const holds = steps.flatMap(([name, carrier, call]) =>
  (["request", "answer"] as const).map((at) => ({
    name: `${name} (${at})`,
    carrier,
    hold: { call, at } satisfies Hold,
  })),
);

/** Init comes by the socket before the engine says that it started: nobody waits for that answer. */
const unneeded = holds.filter(({ name }) => name === "starting the container (answer)");
const needed = holds.filter((each) => !unneeded.includes(each));

/** Long enough for a loaded machine's engine, which must answer what is not held; short enough for a test. */
const patienceMs = 6000;

describe("an engine that stalls", () => {
  test.each(unneeded)("while $name costs nobody anything, and leaves nothing", async ({ carrier, hold }) => {
    await using proxy = new EngineProxy();
    await proxy.listen();
    await using bench = new Bench({ engineHost: proxy.engineHost, carrier, engineDeadlineMs: patienceMs });
    proxy.hold(hold);
    const sandbox = await bench.open({ image: busyboxImage });
    expect((await run(sandbox, { argv: ["echo", "runs"] })).stdout).toBe("runs\n");
    await proxy.held;
    proxy.cut();
    await sandbox.close();
    await untilNoneOf(docker, bench.owner);
  });

  test.each(needed)("while $name costs the caller its deadline, and leaves nothing", async ({ carrier, hold }) => {
    await using proxy = new EngineProxy();
    await proxy.listen();
    await using bench = new Bench({
      engineHost: proxy.engineHost,
      carrier,
      engineDeadlineMs: patienceMs,
      startDeadlineMs: patienceMs,
    });
    // What is asked once for an image is not the step that is meant.
    await (await bench.open({ image: busyboxImage })).close();
    proxy.hold(hold);
    await expect(bench.open({ image: busyboxImage })).rejects.toMatchObject({ code: "unavailable" });
    await proxy.held;
    proxy.cut();
    // Removal, which did not reach the engine either, is tried again.
    await untilNoneOf(docker, bench.owner);
    expect((await run(await bench.open({ image: busyboxImage }), { argv: ["echo", "again"] })).stdout).toBe("again\n");
  });

  test.each(["socket", "attach"] as const)(
    "while a sandbox is removed holds nobody up for ever (%s)",
    async (carrier) => {
      await using proxy = new EngineProxy();
      await proxy.listen();
      await using bench = new Bench({ engineHost: proxy.engineHost, carrier, engineDeadlineMs: patienceMs });
      const sandbox = await bench.open({ image: busyboxImage });
      proxy.hold({ call: /^(DELETE|POST \/containers\/[0-9a-f]+\/wait)/, at: "request" });
      await sandbox.close();
      expect(await sandbox.gone).toBe("closed");
      // It ended by itself all the same.
      await untilNoneOf(docker, bench.owner);
    },
  );
});

describe("a sidecar that is killed", () => {
  test.each(holds)("while $name leaves nothing behind its next start", async ({ carrier, hold }) => {
    await using proxy = new EngineProxy();
    await proxy.listen();
    await using bench = new Bench({});
    const child = fork(join(import.meta.dirname, "sidecar-child.ts"), [
      carrier,
      bench.owner,
      bench.runtimeFolder,
      bench.workspace,
      proxy.engineHost,
    ]);
    proxy.hold(hold);
    await proxy.held;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    proxy.cut();
    // A later start of the same owner.
    await using next = new Bench({ owner: bench.owner });
    await next.runtime.removeOrphans();
    await untilNoneOf(docker, bench.owner);
  });
});

test("commands go on while the engine's connections are cut: only making and removing needs it", async () => {
  await using proxy = new EngineProxy();
  await proxy.listen();
  await using bench = new Bench({ engineHost: proxy.engineHost, carrier: "socket" });
  const sandbox = await bench.open({ image: busyboxImage });
  const process = await spawn(sandbox, { argv: ["sh", "-c", "echo ready; read line; echo $line"], stdin: true });
  await waitFor(process, "ready");
  proxy.cut();
  await process.writeStdin(Buffer.from("still here\n"));
  expect(await waitFor(process, "still here")).toContain("still here\n");
  expect((await run(sandbox, { argv: ["echo", "and new ones"] })).stdout).toBe("and new ones\n");
});
