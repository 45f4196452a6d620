import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type AttachResponse,
  type BackgroundProcess,
  DisconnectPolicy,
  ExecService,
  type ExecServiceWatchResponse,
  type RunResponse,
} from "../../src/gen/sallyport/v1/exec_pb.ts";
import type { EntryId, SessionId } from "../../src/model/ids.ts";
import type { Process } from "../../src/model/runtime.ts";
import { apiRoutes, completeRoutes } from "../../src/server/routes.ts";
import { bearer, callUnary, collect, failureOf, openBidi, openServerStream } from "./call.ts";
import { openClient, openServer, temporaryFolder } from "./open-server.ts";
import { smallRooms } from "./rooms.ts";
import { until } from "./until.ts";

const { run, runToEnd, list, attach, watch, sendInput, signal, resize, stop } = ExecService.method;

async function open() {
  const rooms = smallRooms(temporaryFolder());
  onTestFinished(() => rooms.sandbox.killAll());
  const opened = await openServer(completeRoutes(apiRoutes(rooms.ports)));
  const client = openClient(opened.socket, { "grpc-node.flow_control_window": 1 << 20 });

  /** Starts a background process; resolves with its key. */
  async function background(text: string, more: object = {}): Promise<string> {
    const call = openBidi(client, run);
    const events = collect(call);
    call.write({ step: { case: "start", value: { command: shell(text), background: true, ...more } } });
    const seen = await events;
    expect(seen.map(({ event }) => event.case)).toEqual(["started"]);
    return startedOf(seen[0]);
  }

  /** A command that its caller keeps; resolves once it has said something. */
  async function kept(text: string, more: object = {}) {
    const call = openBidi(client, run);
    call.on("error", () => {});
    const onDisconnect = DisconnectPolicy.KEEP;
    call.write({ step: { case: "start", value: { command: shell(text), onDisconnect, ...more } } });
    const [started] = (await once(call, "data")) as [RunResponse];
    return { call, id: startedOf(started) };
  }

  async function listed(): Promise<BackgroundProcess[]> {
    return (await callUnary(client, list, {})).processes;
  }

  async function one(id: string): Promise<BackgroundProcess | undefined> {
    return (await listed()).find(({ processId }) => processId === id);
  }

  function follow(id: string, offset = 0, untilNow = false) {
    return openServerStream(client, attach, { processId: id, offset: BigInt(offset), untilNow });
  }

  /** What a follower sees until the end. */
  async function log(id: string, offset = 0, untilNow = false) {
    const events = await collect(follow(id, offset, untilNow));
    return { events, text: textOf(events) };
  }

  const outcomes = (id: string) => rooms.recorded.find((each) => each.id === id)?.outcomes ?? [];
  return { ...opened, ...rooms, client, background, kept, listed, one, follow, log, outcomes };
}

function shell(text: string) {
  return { form: { case: "shell" as const, value: text } };
}

function startedOf(response: RunResponse | undefined): string {
  return response?.event.case === "started" ? response.event.value.entryId : "none";
}

function textOf(events: readonly AttachResponse[]): string {
  return events
    .map(({ event }) => (event.case === "stdout" || event.case === "stderr" ? Buffer.from(event.value).toString() : ""))
    .join("");
}

describe("a background process", () => {
  it("outlives its call, is listed, takes input later, and is recorded when it really ends", async () => {
    const { client, background, one, log, outcomes, sandbox } = await open();
    const id = await background("cat; echo end >&2; exit 3", { stdin: true });
    expect(sandbox.alive.size).toBe(1);
    const before = await one(id);
    expect(before).toMatchObject({ command: "cat; echo end >&2; exit 3", failure: "", pty: false, superseded: false });
    expect(before?.exit).toBeUndefined();
    const following = log(id);
    await callUnary(client, sendInput, { processId: id, data: Buffer.from("one ") });
    await callUnary(client, sendInput, { processId: id, data: Buffer.from("two\n"), close: true });
    expect(outcomes(id)).toEqual([]);
    const { events, text } = await following;
    expect(text).toBe("one two\nend\n");
    expect(events.at(-1)).toMatchObject({
      offset: 12n,
      event: { case: "exit", value: { status: { case: "code", value: 3 } } },
    });
    expect(outcomes(id)).toMatchObject([{ kind: "done", facts: { code: 3, stdoutBytes: 8, stderrBytes: 4 } }]);
    expect(await one(id)).toMatchObject({
      exit: { status: { case: "code", value: 3 } },
      outputBytes: 12n,
      outputFrom: 0n,
    });
  });

  it("is read by several at once, from any offset, after its end too", async () => {
    const { client, background, log, one } = await open();
    const id = await background("echo 0123456789; read line; echo $line", { stdin: true });
    await untilAsked(async () => (await one(id))?.outputBytes === 11n);
    const following = [log(id), log(id, 4), log(id, 11)];
    await callUnary(client, sendInput, { processId: id, data: Buffer.from("later\n") });
    expect((await Promise.all(following)).map(({ text }) => text)).toEqual([
      "0123456789\nlater\n",
      "456789\nlater\n",
      "later\n",
    ]);
    expect((await log(id, 13)).text).toBe("ter\n");
    expect(await failureOf(log(id, 18))).toMatchObject({
      code: "OUT_OF_RANGE",
      details: "offset: only 17 bytes were written",
    });
  });

  it("goes on while a reader stands still, who is told what was lost", async () => {
    const { client, background, follow, log, one } = await open();
    // The ring of these rooms holds 256 KiB.
    const id = await background("echo first; read line; head -c 20000000 /dev/zero; echo end", { stdin: true });
    const still = follow(id);
    const events: AttachResponse[] = [];
    still.on("data", (event: AttachResponse) => void events.push(event));
    // The client of grpc-js takes all there is until it is paused after a first message.
    await once(still, "data");
    still.pause();
    await callUnary(client, sendInput, { processId: id, data: Buffer.from("go\n") });
    const other = await log(id);
    expect(other.events.at(-1)?.event.case).toBe("exit");
    expect(await one(id)).toMatchObject({ outputBytes: 20_000_010n, outputFrom: 20_000_010n - 262_144n });
    still.resume();
    await once(still, "end");
    let at = 0n;
    let lost = 0n;
    for (const { offset, event } of events) {
      expect(offset).toBe(at);
      if (event.case === "stdout") at += BigInt(event.value.length);
      if (event.case === "lost") at += event.value.bytes;
      if (event.case === "lost") lost += event.value.bytes;
    }
    expect(at).toBe(20_000_010n);
    expect(lost).toBeGreaterThan(10_000_000n);
    expect(events.at(-1)?.event.case).toBe("exit");
  });

  it("shows what is there now without waiting", async () => {
    const { client, background, log, one } = await open();
    const id = await background("echo now; read line", { stdin: true });
    await untilAsked(async () => (await one(id))?.outputBytes === 4n);
    const { events, text } = await log(id, 1, true);
    expect({ text, last: events.at(-1)?.event.case }).toEqual({ text: "ow\n", last: "stdout" });
    await callUnary(client, stop, { processId: id });
    expect((await log(id, 0, true)).events.at(-1)?.event.case).toBe("exit");
  });

  it("tells of starts and ends, each once, after what was there before", async () => {
    const { client, background } = await open();
    const before = await background("exit 5", { stdin: true });
    const seen: string[] = [];
    const watching = openServerStream(client, watch, {});
    watching.on("error", () => {});
    watching.on("data", ({ event }: ExecServiceWatchResponse) => {
      if (event.case !== undefined)
        seen.push(`${event.case} ${event.value.processId} ${event.value.exit?.status.value}`);
    });
    await until(() => seen.length > 0);
    const during = await background("read line; exit 6", { stdin: true });
    await until(() => seen.includes(`started ${during} undefined`));
    await callUnary(client, sendInput, { processId: during, data: Buffer.from("\n") });
    await until(() => seen.includes(`ended ${during} 6`));
    watching.cancel();
    const ofBefore = seen.filter((line) => line.includes(before));
    expect(ofBefore[0]).toMatch(/^present/);
    expect(seen.filter((line) => line.startsWith("ended") && line.includes(during))).toHaveLength(1);
  });

  it("gets signals, and ends with everything that it started", async () => {
    const { client, background, log, sandbox } = await open();
    const one = await background("trap 'echo caught; exit 0' USR1; echo ready; sleep 1000 & wait");
    const other = await background("sleep 1000 & sleep 1000");
    const following = log(one);
    await once(openServerStream(client, attach, { processId: one }), "data");
    await callUnary(client, signal, { processId: one, signal: 10 });
    expect((await following).text).toBe("ready\ncaught\n");
    await callUnary(client, stop, { processId: other });
    expect(sandbox.alive.size).toBe(0);
    expect(await failureOf(callUnary(client, stop, { processId: other }))).toMatchObject({ code: "NOT_FOUND" });
    expect(await failureOf(callUnary(client, signal, { processId: other, signal: 9 }))).toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("takes input only where it has any", async () => {
    const { client, background, log } = await open();
    const without = await background("sleep 1000");
    const input = (processId: string, close = false) =>
      failureOf(callUnary(client, sendInput, { processId, data: Buffer.from("x"), close }));
    expect(await input(without)).toMatchObject({
      code: "FAILED_PRECONDITION",
      details: expect.stringContaining("without stdin"),
    });
    const closed = await background("cat; read line < <(sleep 1000)", { stdin: true });
    await callUnary(client, sendInput, { processId: closed, close: true });
    expect(await input(closed)).toMatchObject({
      code: "FAILED_PRECONDITION",
      details: expect.stringContaining("closed"),
    });
    const ended = await background("true", { stdin: true });
    await log(ended);
    expect(await input(ended)).toMatchObject({
      code: "FAILED_PRECONDITION",
      details: expect.stringContaining("ended"),
    });
    expect(await input("nothing")).toMatchObject({ code: "NOT_FOUND" });
  });

  it("holds no more input than a bound, and a caller who waits may leave", async () => {
    const { client, background } = await open();
    const id = await background("sleep 1000", { stdin: true });
    const request = { processId: id, data: Buffer.alloc(1024 * 1024) };
    const leaving = callUnary(client, sendInput, request, undefined, { deadline: Date.now() + 3000 });
    expect(await failureOf(leaving)).toMatchObject({ code: "DEADLINE_EXCEEDED" });
    const codes: string[] = [];
    const calls = Array.from({ length: 6 }, async () =>
      codes.push((await failureOf(callUnary(client, sendInput, request))).code),
    );
    await until(() => codes.length === 3);
    expect(codes).toEqual(["RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"]);
    await callUnary(client, stop, { processId: id });
    await Promise.all(calls);
    expect(codes.slice(3)).toEqual(["FAILED_PRECONDITION", "FAILED_PRECONDITION", "FAILED_PRECONDITION"]);
  });

  it("is one of a bounded number: those that run are kept, those that ended are forgotten in turn", async () => {
    const { client, background, listed, log, recorded } = await open();
    const running = [];
    for (let i = 0; i < 3; i++) running.push(await background("sleep 1000"));
    const asked = recorded.length;
    const call = openBidi(client, run);
    const failure = failureOf(collect(call));
    call.write({ step: { case: "start", value: { command: shell("true"), background: true } } });
    expect(await failure).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    expect(recorded).toHaveLength(asked);
    await callUnary(client, stop, { processId: running[0] ?? "" });
    const ended = [];
    for (let i = 0; i < 4; i++) {
      ended.push(await background("true"));
      await log(ended.at(-1) ?? "");
    }
    expect((await listed()).map(({ processId }) => processId)).toEqual([ended[3], ended[2], running[2], running[1]]);
  });

  it("says where it was superseded, as long as it runs", async () => {
    const { client, background, one, law } = await open();
    const id = await background("sleep 1000");
    law.superseded = true;
    expect(await one(id)).toMatchObject({ superseded: true });
    await callUnary(client, stop, { processId: id });
    expect(await one(id)).toMatchObject({ superseded: false });
  });

  it("that failed for want of a network says why: to a follower, in the list and to a watcher", async () => {
    const { client, background, follow, log, one } = await open();
    const id = await background("echo 'curl: (6) Could not resolve host: x.test' >&2; exit 6");
    await log(id);
    const why = expect.stringContaining("HTTP_PROXY") as string;
    for (const offset of [0, 5])
      expect((await collect(follow(id, offset))).at(-1)?.event).toMatchObject({ case: "exit", value: { hint: why } });
    expect(await one(id)).toMatchObject({ exit: { hint: why } });
    const watching = openServerStream(client, watch, {});
    watching.on("error", () => {});
    const [present] = (await once(watching, "data")) as [ExecServiceWatchResponse];
    watching.cancel();
    expect(present.event).toMatchObject({ case: "present", value: { exit: { hint: why } } });
    const other = await background("exit 6");
    await log(other);
    expect(await one(other)).toMatchObject({ exit: { hint: "" } });
  });

  it("that is lost says so, to its followers and in the record", async () => {
    const { client, recorded, log, one, ports } = await open();
    // The first call opens the session.
    await callUnary(client, runToEnd, { start: { command: shell("true") } });
    const lost = Promise.withResolvers<never>();
    const process = processOf(async function* () {
      yield { kind: "started", pid: 7 };
      yield { kind: "stdout", data: Buffer.from("said") };
      yield await lost.promise;
    });
    const ends: unknown[] = [];
    const facts = {
      id: "lost" as EntryId,
      session: "s1" as SessionId,
      command: { kind: "argv" as const, argv: ["it's", "a b", "c"] as const },
      pty: true,
      stdin: false,
      held: false,
      superseded: () => false,
    };
    await ports.background.reserve(facts.session).keep(process, facts, (end, bytes) => void ends.push(end, bytes));
    const failure = failureOf(log("lost"));
    lost.reject(new Error("secret inner words"));
    expect(await failure).toMatchObject({ code: "UNAVAILABLE", details: "its events broke off" });
    expect(ends).toEqual([
      { kind: "lost", reason: "its events broke off" },
      { stdout: 4, stderr: 0 },
    ]);
    expect(await one("lost")).toMatchObject({
      command: "'it'\\''s' 'a b' c",
      failure: "its events broke off",
      pty: true,
      pid: 7,
    });
    expect(recorded).toHaveLength(1);
  });

  it("of another session or agent cannot be seen or touched", async () => {
    const { client, background } = await open();
    const id = await background("sleep 1000", { stdin: true });
    const other = bearer("good");
    expect((await callUnary(client, list, {}, other)).processes).toEqual([]);
    for (const call of [
      callUnary(client, sendInput, { processId: id, data: Buffer.from("x") }, other),
      callUnary(client, signal, { processId: id, signal: 9 }, other),
      callUnary(client, resize, { processId: id, size: { columns: 1, rows: 1 } }, other),
      callUnary(client, stop, { processId: id }, other),
      collect(openServerStream(client, attach, { processId: id }, other)),
      callUnary(client, stop, { processId: id, sessionId: "s1" }, other),
      collect(openServerStream(client, watch, { sessionId: "s1" }, other)),
    ])
      expect(await failureOf(call)).toMatchObject({ code: "NOT_FOUND" });
    await callUnary(client, stop, { processId: id });
  });

  it("is judged like any other, and not started where it is refused or its caller has left", async () => {
    const { client, law, listed, sandbox, recorded } = await open();
    law.verdict = () => "deny";
    const call = openBidi(client, run);
    const failure = failureOf(collect(call));
    call.write({ step: { case: "start", value: { command: shell("sleep 1000"), background: true } } });
    expect(await failure).toMatchObject({ code: "PERMISSION_DENIED" });
    law.verdict = () => "ask";
    const asked = Promise.withResolvers<void>();
    law.answer = () => {
      asked.resolve();
      return new Promise(() => {});
    };
    const second = openBidi(client, run);
    second.on("error", () => {});
    second.write({ step: { case: "start", value: { command: shell("sleep 1000"), background: true } } });
    await asked.promise;
    second.cancel();
    await until(() => recorded.length === 2);
    expect(sandbox.alive.size).toBe(0);
    expect(await listed()).toEqual([]);
  });
});

describe("a command that its caller keeps", () => {
  it("streams to its end like any other", async () => {
    const { client, outcomes } = await open();
    const call = openBidi(client, run);
    const events = collect(call);
    const value = { command: shell("cat; exit 4"), stdin: true, onDisconnect: DisconnectPolicy.KEEP };
    call.write({ step: { case: "start", value } });
    call.write({ step: { case: "stdin", value: Buffer.from("in") } });
    call.end();
    const seen = await events;
    expect(seen.map(({ event }) => event.case)).toEqual(["started", "stdout", "exit"]);
    expect(outcomes(startedOf(seen[0]))).toMatchObject([{ kind: "done", facts: { code: 4 } }]);
  });

  it("goes on where its caller is lost, and another reads it from the start", async () => {
    const { client, kept, log, outcomes, one } = await open();
    const { call, id } = await kept("echo before; read line; echo $line", { stdin: true });
    call.cancel();
    await untilAsked(async () => (await one(id))?.outputBytes === 7n);
    expect(outcomes(id)).toEqual([]);
    const following = log(id);
    await callUnary(client, sendInput, { processId: id, data: Buffer.from("after\n") });
    expect((await following).text).toBe("before\nafter\n");
    expect(outcomes(id)).toMatchObject([{ kind: "done", facts: { code: 0 } }]);
  });

  it("is slowed by a slow caller and loses nothing, and no longer when that caller is lost", async () => {
    const { kept, log, one } = await open();
    const total = 16 * 1024 * 1024;
    const { call, id } = await kept(`head -c ${total} /dev/zero; echo finished >&2`);
    call.pause();
    for (let turn = 0; turn < 5000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const held = await one(id);
    expect(held?.exit).toBeUndefined();
    expect(Number(held?.outputBytes)).toBeLessThan(total);
    call.cancel();
    const { events } = await log(id);
    expect(events.at(-1)?.event.case).toBe("exit");
    expect(await one(id)).toMatchObject({ outputBytes: BigInt(total + 9) });
  });

  it("gives a slow caller every byte", async () => {
    const { kept } = await open();
    const total = 4 * 1024 * 1024;
    const { call } = await kept(`head -c ${total} /dev/zero`);
    call.pause();
    for (let turn = 0; turn < 1000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
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

  it("outlives a step that does not fit, which ends the call alone", async () => {
    const { client, kept, one } = await open();
    const { call, id } = await kept("echo ready; sleep 1000");
    const failure = failureOf(collect(call));
    call.write({ step: { case: "stdin", value: Buffer.from("x") } });
    expect(await failure).toMatchObject({ code: "INVALID_ARGUMENT", details: "stdin: start.stdin is not set" });
    expect((await one(id))?.exit).toBeUndefined();
    await callUnary(client, stop, { processId: id });
  });
});

describe("any running command", () => {
  it("can be ended and resized from another call", async () => {
    const { client, sandbox } = await open();
    const call = openBidi(client, run);
    const events = collect(call);
    call.write({ step: { case: "start", value: { command: shell("sleep 1000") } } });
    const [started] = (await once(call, "data")) as [RunResponse];
    const processId = startedOf(started);
    await callUnary(client, resize, { processId, size: { columns: 80, rows: 24 } });
    expect(await failureOf(callUnary(client, resize, { processId }))).toMatchObject({ details: "size: must be set" });
    await callUnary(client, stop, { processId });
    expect((await events).at(-1)?.event).toMatchObject({
      case: "exit",
      value: { status: { case: "signal", value: 15 } },
    });
    expect(sandbox.alive.size).toBe(0);
  });
});

/** A process that is nothing but its events. */
function processOf(events: () => Process["events"]): Process {
  return {
    events: events(),
    writeStdin: () => Promise.resolve(true),
    closeStdin() {},
    resize() {},
    signal() {},
    end: () => Promise.resolve(),
    kill: () => Promise.resolve(),
  };
}

/** The same for a condition that has to be asked for. */
async function untilAsked(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
