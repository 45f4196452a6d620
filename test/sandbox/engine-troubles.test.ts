import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { afterAll, describe, expect, test } from "vitest";
import { AutoRuntime } from "../../src/sandbox/auto-runtime.ts";
import { createBubblewrapRuntime } from "../../src/sandbox/bubblewrap/bubblewrap-runtime.ts";
import { meetInit } from "../../src/sandbox/meet-init.ts";
import { openOneShotSocket } from "../../src/sandbox/one-shot-socket.ts";
import { Bench, never } from "./harness.ts";
import { MemoryCarrier } from "./memory-carrier.ts";

const folder = mkdtempSync(join(tmpdir(), "sp-trouble-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const answer = (status: number, body: unknown): Server =>
  createHttpServer((_request, response) => {
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });

const engines: readonly [string, (() => Server) | undefined, string, RegExp][] = [
  ["is silent", () => createServer(() => {}), "unavailable", /did not answer/],
  ["hangs up", () => createServer((socket) => void socket.destroy()), "unavailable", /engine failed/],
  ["hangs up in its answer", () => createServer((socket) => void socket.end("HTTP/1.1 2")), "unavailable", /failed/],
  ["is ill", () => answer(500, { message: "out of order" }), "unavailable", /out of order/],
  ["is starting", () => answer(503, { message: "not yet" }), "unavailable", /not yet/],
  ["is not there", undefined, "failed_precondition", /install Docker/],
  [
    "runs no Linux containers",
    () => answer(200, { OSType: "windows" }),
    "failed_precondition",
    /Linux ones are needed/,
  ],
  ["enforces too little", () => answer(200, { OSType: "linux" }), "failed_precondition", /cannot enforce seccomp/],
];

describe("an engine that", () => {
  test.each(engines)(
    "%s: the caller learns whether to try again, whichever way the runtime was chosen",
    async (...of) => {
      const [name, make, code, message] = of;
      const socket = join(folder, `${name.replaceAll(" ", "-")}.sock`);
      const server = make?.().listen(socket);
      if (server !== undefined) await once(server, "listening");
      await using bench = new Bench({ engineHost: `unix://${socket}`, engineDeadlineMs: 300 });
      const expected = { name: "Problem", code, message: expect.stringMatching(message) as string };
      try {
        await expect(bench.open()).rejects.toMatchObject(expected);
        const missing = createBubblewrapRuntime({ ...bubblewrap(bench), program: "no-such-bwrap" });
        const auto = new AutoRuntime([bench.runtime, missing]);
        const features = await auto.probe();
        expect(features).toMatchObject({ available: false, passing: code === "unavailable" });
        // One that may be back makes no way for a weaker runtime.
        expect(features.reason.includes("bubblewrap: ")).toBe(code !== "unavailable");
        await expect(auto.create(bench.spec(), never)).rejects.toMatchObject(expected);
        await expect(missing.create(bench.spec(), never)).rejects.toMatchObject({ code: "failed_precondition" });
      } finally {
        server?.close();
      }
    },
  );

  test("was silent is asked again, and expected back once it has answered", async () => {
    const socket = join(folder, "again.sock");
    const server = createServer(() => {}).listen(socket);
    await once(server, "listening");
    await using bench = new Bench({ engineHost: `unix://${socket}`, engineDeadlineMs: 300 });
    const auto = new AutoRuntime([bench.runtime]);
    await expect(auto.create(bench.spec(), never)).rejects.toMatchObject({ code: "unavailable" });
    server.close();
    const well = answer(200, { OSType: "windows" }).listen(socket);
    await once(well, "listening");
    await expect(auto.create(bench.spec(), never)).rejects.toMatchObject({ code: "failed_precondition" });
    well.close();
    await once(well, "close");
    // Not as one that was never there.
    await expect(auto.create(bench.spec(), never)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("is gone") as string,
    });
  });
});

test("an init that falls silent after its hello is given up at the deadline", async () => {
  await using bench = new Bench();
  const { session } = bench.spec();
  const carrier = new MemoryCarrier();
  const plan = { mounts: [], user: { uid: 1, gid: 1 } };
  const meeting = meetInit(carrier, { session, plan, sameFiles: true, deadlineMs: 50 }, never);
  carrier.hello();
  await expect(meeting).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("look round") as string,
  });
  expect(carrier.ended).toBe("could not be used");
});

test("a runtime folder that takes no socket is an error, not a wait", async () => {
  const refused = { code: "failed_precondition", message: expect.stringContaining("takes no socket") as string };
  await expect(openOneShotSocket(join(folder, "missing"))).rejects.toMatchObject(refused);
  // Longer than a socket's path may be (unix(7)): what was made for it goes again.
  const long = join(folder, "x".repeat(100));
  mkdirSync(long);
  await expect(openOneShotSocket(long)).rejects.toMatchObject(refused);
  expect(readdirSync(long)).toEqual([]);
});

function bubblewrap({ runtimeFolder, owner }: Bench) {
  return { runtimeFolder, owner, initPath: "/nonexistent", timeoutMs: 1000, outputBytes: 1000 };
}
