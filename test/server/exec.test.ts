import { describe, expect, it, onTestFinished } from "vitest";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { ExecService, type RunResponse } from "../../src/gen/sallyport/v1/exec_pb.ts";
import { apiRoutes, completeRoutes } from "../../src/server/routes.ts";
import { callUnary, collect, failureOf, openBidi } from "./call.ts";
import { buf, openClient, openServer, temporaryFolder } from "./open-server.ts";
import { smallRooms } from "./rooms.ts";
import { until } from "./until.ts";

const { run, runToEnd, signal } = ExecService.method;

async function open() {
  const rooms = smallRooms(temporaryFolder());
  onTestFinished(() => rooms.sandbox.killAll());
  const opened = await openServer(completeRoutes(apiRoutes(rooms.ports)));
  return { ...opened, ...rooms, client: openClient(opened.socket, { "grpc-node.flow_control_window": 1 << 20 }) };
}

function shell(text: string) {
  return { form: { case: "shell" as const, value: text } };
}

function start(text: string, more: { stdin?: boolean; timeoutMs?: number } = {}) {
  return { step: { case: "start" as const, value: { command: shell(text), ...more } } };
}

function stdin(text: string | Uint8Array) {
  return { step: { case: "stdin" as const, value: typeof text === "string" ? Buffer.from(text) : text } };
}

function textOf(events: readonly RunResponse[], kind: "stdout" | "stderr"): string {
  return events.map(({ event }) => (event.case === kind ? Buffer.from(event.value).toString() : "")).join("");
}

function exitsOf(events: readonly RunResponse[]) {
  return events.flatMap(({ event }) => (event.case === "exit" ? [event.value] : []));
}

describe("Run", () => {
  it("streams started, output and exactly one exit, and records the end", async () => {
    const { client, recorded } = await open();
    const call = openBidi(client, run);
    const events = collect(call);
    call.write(start("echo out; echo err >&2; exit 3"));
    call.end();
    const seen = await events;
    expect(seen[0]?.event).toMatchObject({ case: "started", value: { entryId: "e1" } });
    expect(textOf(seen, "stdout")).toBe("out\n");
    expect(textOf(seen, "stderr")).toBe("err\n");
    expect(seen.at(-1)?.event).toMatchObject({ case: "exit", value: { status: { case: "code", value: 3 } } });
    expect(exitsOf(seen)).toHaveLength(1);
    expect(recorded[0]?.outcomes).toMatchObject([
      { kind: "done", facts: { code: 3, stdoutBytes: 4, stderrBytes: 4, truncated: false } },
    ]);
  });

  it("brings standard input, and a half-close ends it", async () => {
    const { client } = await open();
    const call = openBidi(client, run);
    const events = collect(call);
    call.write(start("cat; echo end", { stdin: true }));
    call.write(stdin("one "));
    call.write(stdin("two\n"));
    call.end();
    expect(textOf(await events, "stdout")).toBe("one two\nend\n");
  });

  it("closes standard input by message and goes on", async () => {
    const { client } = await open();
    const call = openBidi(client, run);
    const events = collect(call);
    call.write(start("cat; echo end", { stdin: true }));
    call.write(stdin("a\n"));
    call.write({ step: { case: "closeStdin", value: {} } });
    // Not half-closed: the exit alone ends the call.
    expect(textOf(await events, "stdout")).toBe("a\nend\n");
  });

  it("passes signals on, from the call and from another", async () => {
    const { client } = await open();
    const first = openBidi(client, run);
    const firstEvents = collect(first);
    first.write(start("sleep 1000"));
    await once(first, "data");
    first.write({ step: { case: "signal", value: 15 } });
    expect(exitsOf(await firstEvents)).toMatchObject([{ status: { case: "signal", value: 15 } }]);

    const second = openBidi(client, run);
    const secondEvents = collect(second);
    second.write(start("sleep 1000"));
    const [started] = (await once(second, "data")) as [RunResponse];
    const processId = started.event.case === "started" ? started.event.value.entryId : "";
    await callUnary(client, signal, { processId, signal: 2 });
    expect(exitsOf(await secondEvents)).toMatchObject([{ status: { case: "signal", value: 2 } }]);
    expect(await failureOf(callUnary(client, signal, { processId, signal: 2 }))).toMatchObject({
      code: "NOT_FOUND",
      details: "process_id: no such command runs in this session",
    });
  });

  it("slows a command whose output nobody reads, and loses nothing", async () => {
    const { client, recorded } = await open();
    const total = 16 * 1024 * 1024;
    const call = openBidi(client, run);
    call.write(start(`head -c ${total} /dev/zero; echo finished >&2`));
    call.end();
    // The client of grpc-js takes all there is until it is paused after a first message.
    await once(call, "data");
    call.pause();
    // As many turns of the loop as the whole output would take several times over.
    for (let turn = 0; turn < 5000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(recorded[0]?.outcomes).toEqual([]);
    let bytes = 0;
    let exits = 0;
    call.on("data", ({ event }: RunResponse) => {
      if (event.case === "stdout") bytes += event.value.length;
      if (event.case === "exit") exits += 1;
    });
    call.resume();
    await once(call, "end");
    expect({ bytes, exits }).toEqual({ bytes: total, exits: 1 });
  });

  it("kills the command and all that it started when the caller cancels", async () => {
    const { client, recorded, sandbox } = await open();
    const call = openBidi(client, run);
    call.on("error", () => {});
    call.write(start("sleep 1000 & sleep 1000"));
    await once(call, "data");
    expect(sandbox.alive.size).toBe(1);
    call.cancel();
    await until(() => recorded[0]?.outcomes.length === 1);
    expect(sandbox.alive.size).toBe(0);
    expect(recorded[0]?.outcomes[0]).toMatchObject({ kind: "failed", reason: expect.stringContaining("cancelled") });
  });

  it("kills it when the connection goes away", async () => {
    const { socket, recorded, sandbox } = await open();
    const client = openClient(socket);
    const call = openBidi(client, run);
    call.on("error", () => {});
    call.write(start("yes"));
    await once(call, "data");
    client.getChannel().close();
    call.cancel();
    await until(() => recorded[0]?.outcomes.length === 1);
    expect(sandbox.alive.size).toBe(0);
    expect(recorded[0]?.outcomes).toMatchObject([{ kind: "failed" }]);
  });

  it("kills it at the deadline", async () => {
    const { client, recorded, sandbox } = await open();
    const call = openBidi(client, run, undefined, { deadline: Date.now() + 300 });
    const failure = failureOf(collect(call));
    call.write(start("sleep 1000"));
    expect(await failure).toMatchObject({ code: "DEADLINE_EXCEEDED" });
    await until(() => recorded.every(({ outcomes }) => outcomes.length === 1));
    expect(sandbox.alive.size).toBe(0);
  });

  it("never starts a command whose caller left while a person was asked", async () => {
    const { client, law, recorded, sandbox } = await open();
    law.verdict = () => "ask";
    const asked = Promise.withResolvers<void>();
    law.answer = () => {
      asked.resolve();
      return new Promise(() => {});
    };
    const call = openBidi(client, run);
    call.on("error", () => {});
    call.write(start("echo no"));
    await asked.promise;
    call.cancel();
    await until(() => recorded.length === 1);
    expect(recorded[0]?.entry.verdict).toBe("deny");
    expect(sandbox.alive.size).toBe(0);
  });

  it.each([
    ["nothing at all", [], "start: must be the first message"],
    ["input first", [stdin("x")], "start: must be the first message"],
    ["an empty first step", [{}], "start: must be the first message"],
    ["a second start", [start("sleep 1000"), start("sleep 1000")], "start: was sent before"],
    ["input that was not announced", [start("sleep 1000"), stdin("x")], "stdin: start.stdin is not set"],
    [
      "input after its end",
      [start("sleep 1000", { stdin: true }), { step: { case: "closeStdin" as const, value: {} } }, stdin("x")],
      "stdin: is closed",
    ],
    [
      "too much input in one message",
      [start("sleep 1000", { stdin: true }), stdin(new Uint8Array(1024 * 1024 + 1))],
      "stdin: longer than 1048576 bytes in one message",
    ],
    [
      "a resize without a terminal",
      [start("sleep 1000"), { step: { case: "resize" as const, value: { columns: 80, rows: 24 } } }],
      "resize: start.pty is not set",
    ],
    [
      "a signal that is none",
      [start("sleep 1000"), { step: { case: "signal" as const, value: 65 } }],
      "signal: 65 is not between 1 and 64",
    ],
    ["an empty step", [start("sleep 1000"), {}], "step: must be set"],
  ])("refuses %s and leaves nothing running", async (_name, requests, details) => {
    const { client, recorded, sandbox } = await open();
    const call = openBidi(client, run);
    const failure = failureOf(collect(call));
    for (const request of requests) call.write(request);
    call.end();
    expect(await failure).toMatchObject({ code: "INVALID_ARGUMENT", details });
    await until(() => recorded.every(({ outcomes }) => outcomes.length === 1));
    expect(sandbox.alive.size).toBe(0);
    for (const { outcomes } of recorded) expect(outcomes).toMatchObject([{ kind: "failed" }]);
  });

  it("sends the denial as a detail", async () => {
    const { client, law } = await open();
    law.verdict = () => "deny";
    const call = openBidi(client, run);
    const failure = failureOf(collect(call));
    call.write(start("sudo -n true"));
    const { code, details, detail } = await failure;
    expect({ code, details }).toEqual({
      code: "PERMISSION_DENIED",
      details: "run sudo -n true: it would become root",
    });
    expect(detail?.typeUrl).toBe("type.googleapis.com/sallyport.v1.Denial");
  });
});

describe("buf curl", () => {
  it("runs a command without files, streamed, over the unix socket and over TCP", async () => {
    const { socket, tcp } = await open();
    const start = { start: { command: { shell: "echo hi; exit 5" } } };
    const flags = ["curl", "--protocol", "grpc", "--http2-prior-knowledge", "--data", JSON.stringify(start)];
    const path = "sallyport.v1.ExecService/Run";
    for (const place of [
      ["--unix-socket", socket.slice("unix:".length), `http://localhost/${path}`],
      ["--header", "authorization: Bearer good", `http://${tcp}/${path}`],
    ]) {
      const { stdout } = await promisify(execFile)(buf, [...flags, ...place]);
      expect(stdout).toContain(`"stdout": "${Buffer.from("hi\n").toString("base64")}"`);
      expect(stdout).toContain('"code": 5');
    }
  });
});

describe("RunToEnd", () => {
  it("returns output and exit; a failing command is no failing call", async () => {
    const { client } = await open();
    const answer = await callUnary(client, runToEnd, { start: { command: shell("echo a; echo b >&2; exit 7") } });
    expect(Buffer.from(answer.stdout).toString()).toBe("a\n");
    expect(Buffer.from(answer.stderr).toString()).toBe("b\n");
    expect(answer).toMatchObject({ entryId: "e1", exit: { status: { case: "code", value: 7 } } });
  });

  it("caps what it returns below what a client takes by default", async () => {
    const { client } = await open();
    const answer = await callUnary(client, runToEnd, { start: { command: shell("head -c 9000000 /dev/zero") } });
    expect(answer.stdout.length).toBe(4 * 1024 * 1024 - 64 * 1024);
    expect(answer.exit?.truncated).toBe(true);
  });

  it("gives the command no input, and the words of argv as they are", async () => {
    const { client } = await open();
    const words = ["printf", "[%s]", "a b", "", "$HOME", "ü"];
    const answer = await callUnary(client, runToEnd, {
      start: { command: { form: { case: "argv", value: { words } } } },
    });
    expect(Buffer.from(answer.stdout).toString()).toBe("[a b][][$HOME][ü]");
    const cat = await callUnary(client, runToEnd, { start: { command: shell("cat; echo $A"), env: { A: "x" } } });
    expect(Buffer.from(cat.stdout).toString()).toBe("x\n");
  });

  it("kills the command when the caller cancels", async () => {
    const { client, recorded, sandbox } = await open();
    const failure = failureOf(
      callUnary(client, runToEnd, { start: { command: shell("sleep 1000") } }, undefined, {
        deadline: Date.now() + 300,
      }),
    );
    expect(await failure).toMatchObject({ code: "DEADLINE_EXCEEDED" });
    await until(() => recorded.every(({ outcomes }) => outcomes.length === 1));
    expect(sandbox.alive.size).toBe(0);
  });

  it("names a program that is not there", async () => {
    const { client, recorded } = await open();
    const failure = failureOf(
      callUnary(client, runToEnd, {
        start: { command: { form: { case: "argv", value: { words: ["/no/such/program"] } } } },
      }),
    );
    expect(await failure).toMatchObject({ code: "NOT_FOUND" });
    expect(recorded[0]?.outcomes).toMatchObject([{ kind: "failed", reason: expect.stringContaining("not_found") }]);
  });
});
