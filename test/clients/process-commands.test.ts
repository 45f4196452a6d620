import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, type SallyportClient } from "../../src/clients/client/create-client.ts";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import { apiRoutes } from "../../src/server/routes.ts";
import { sure } from "../server/open-server.ts";
import { smallRooms } from "../server/rooms.ts";
import { eventually } from "./support/eventually.ts";
import { jsonLines, runCli, startCli } from "./support/run-cli.ts";
import { startTestServer, type TestServer } from "./support/test-server.ts";

const rooms = smallRooms(sure(parseAbsolutePath("/")));
let server: TestServer;
let socket: string;
let client: SallyportClient;
beforeAll(async () => {
  server = await startTestServer([...apiRoutes(rooms.ports)]);
  socket = server.socket;
  client = createClient({ socket });
});
afterAll(async () => {
  client.close();
  await server.close();
  rooms.sandbox.killAll();
});

function cli(command: string, ...args: string[]) {
  return runCli([command, "--socket", socket, ...args]);
}

/** Starts a process in the background by the command line; resolves with its name. */
async function background(text: string, ...options: string[]): Promise<string> {
  const { code, out, err } = await cli("exec", "--background", ...options, "-c", text);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^\S+\n$/);
  return out.trim();
}

describe("a process in the background", () => {
  test("is started, listed, read, written to and followed to its end", async () => {
    const id = await background("echo said; read line; echo got $line; exit 5", "-i");
    await eventually(async () => (await cli("logs", id)).out).toBe("said\n");
    expect((await cli("ps")).out).toMatch(new RegExp(`^process .*\n${id} +runs .* 5 +echo said; read`));
    const attached = startCli(["attach", "--socket", socket, "-i", id]);
    attached.child.stdin.end("input\n");
    expect(await attached.ended).toMatchObject({ code: 5, out: "said\ngot input\n", err: "" });
    expect(await cli("logs", "--follow", "--offset", "5", id)).toMatchObject({ code: 0, out: "got input\n" });
    expect((await cli("ps")).out).toMatch(new RegExp(`^${id} +exit 5 `, "m"));
  });

  test("is told of in JSON", async () => {
    const { out } = await cli("exec", "--json", "-b", "-c", "printf 'a\\033b'; exit 2");
    const [started] = jsonLines(out) as [{ event: string; entryId: string }];
    expect(started).toMatchObject({ event: "started" });
    expect(jsonLines((await cli("attach", "--json", started.entryId)).out)).toMatchObject([
      { offset: "0", event: "stdout", data: Buffer.from("a\u001bb").toString("base64") },
      { offset: "3", event: "exit", code: 2, signal: null },
    ]);
    const listed = jsonLines((await cli("ps", "--json")).out);
    expect(listed).toContainEqual(expect.objectContaining({ processId: started.entryId, failure: "" }));
  });

  test("is ended, or gets a signal", async () => {
    const [one, other] = [
      await background("sleep 1000"),
      await background("trap 'exit 9' USR1; echo; sleep 1000 & wait"),
    ];
    expect(await cli("kill", one)).toMatchObject({ code: 0, out: "", err: "" });
    expect((await cli("attach", one)).code).toBe(128 + 15);
    // It has set its trap once it has said something.
    await eventually(async () => (await cli("logs", other)).out).toBe("\n");
    expect((await cli("kill", "-s", "USR1", other)).code).toBe(0);
    expect((await cli("attach", other)).code).toBe(9);
    expect(await cli("kill", one)).toMatchObject({
      code: 1,
      err: expect.stringContaining("no such command runs") as string,
    });
    for (const signal of ["SIGNO", "0", "65", "-1"]) expect((await cli("kill", "-s", signal, one)).code).toBe(2);
  });

  test("says what is kept no longer", async () => {
    // The ring of these rooms holds 256 KiB.
    const id = await background("head -c 500000 /dev/zero");
    const { stdout, err } = await cli("attach", id);
    expect(stdout).toHaveLength(262_144);
    expect(err).toBe("sallyport: 237856 bytes of output from 0 on are kept no longer\n");
  });

  test("goes on where following it is broken off", async () => {
    const id = await background("echo said; sleep 1000");
    const attached = startCli(["attach", "--socket", socket, id]);
    await once(attached.child.stdout, "data");
    attached.child.kill("SIGINT");
    await attached.ended;
    expect((await cli("ps")).out).toMatch(new RegExp(`^${id} +runs `, "m"));
    await cli("kill", id);
  });

  test("is watched", async () => {
    const id = await background("sleep 1000");
    const watching = startCli(["ps", "--watch", "--socket", socket]);
    const seen: Buffer[] = [];
    watching.child.stdout.on("data", (chunk: Buffer) => seen.push(chunk));
    await eventually(() => Buffer.concat(seen).toString()).toContain(`present  ${id}  runs  sleep 1000\n`);
    await cli("kill", id);
    await eventually(() => Buffer.concat(seen).toString()).toContain(`ended    ${id}  signal 15  sleep 1000\n`);
    watching.child.kill("SIGINT");
    await watching.ended;
  });
});

test("a command that is to be kept goes on where the command line is killed", async () => {
  const run = startCli(["exec", "--socket", socket, "--keep", "-c", "echo ready; sleep 1000"]);
  await once(run.child.stdout, "data");
  run.child.kill("SIGKILL");
  await run.ended;
  const { processes } = await client.commands.list({});
  const kept = processes.find(({ command }) => command === "echo ready; sleep 1000");
  expect(kept?.exit).toBeUndefined();
  expect((await cli("kill", kept?.processId ?? "")).code).toBe(0);
});

test("limits and ends are sent as they are written", async () => {
  const flags =
    "--idle-timeout 5s --grace 0 --max-output 1.5KiB --end-at-max-output --timeout 9s --cpu-time 250ms".split(" ");
  await cli("exec", ...flags, "--", "true");
  expect(rooms.recorded.at(-1)?.entry.intent).toMatchObject({
    limits: { idleMs: 5000, graceMs: 0, outputBytes: 1536, endAtOutput: true, timeoutMs: 9000, cpuMs: 250 },
  });
  const above = await cli(
    "exec",
    "--memory",
    "1GiB",
    "--pids",
    "5",
    "--open-files",
    "9",
    "--file-size",
    "1MB",
    "--",
    "true",
  );
  expect(above).toMatchObject({ code: 2, err: expect.stringContaining("start.limits.memory_bytes") as string });
  for (const bad of [
    "--memory=0",
    "--memory=1XB",
    "--pids=0",
    "--pids=1.5",
    "--cpu-time=0",
    "--grace=-1",
    "--idle-timeout=x",
  ])
    expect([bad, (await cli("exec", bad, "--", "true")).code]).toEqual([bad, 2]);
});

test("a signal and a size overtake input that is not read, however much there is", async () => {
  const call = client.exec({ command: { shell: "trap 'exit 8' USR1; echo ready; sleep 1000 & wait" }, stdin: true });
  const events = call[Symbol.asyncIterator]();
  await events.next();
  await events.next();
  const writing = call.writeStdin(new Uint8Array(64 * 1024 * 1024));
  // Not before the input has filled whatever takes it.
  await eventually(async () => {
    const before = process.memoryUsage().arrayBuffers;
    await new Promise((resolve) => setImmediate(resolve));
    return process.memoryUsage().arrayBuffers === before;
  }).toBe(true);
  call.resize({ columns: 1, rows: 1 });
  call.signal(10);
  expect((await events.next()).value).toMatchObject({ kind: "exit", code: 8 });
  expect(await writing).toBe(false);
});
