import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseSessionId } from "../../src/model/ids.ts";
import type { InsideConnection, ProcessExit } from "../../src/model/runtime.ts";
import { Link } from "../../src/sandbox/link.ts";
import type { ProcessBounds, ProcessChannel } from "../../src/sandbox/process-channel.ts";
import { noLimits } from "../../src/wire/encode-spawn.ts";
import { frameType, windowBytes } from "../../src/wire/protocol.ts";
import { cut, exitPayload, frameBytes } from "../wire/frames.ts";
import { MemoryCarrier, words } from "./memory-carrier.ts";

const session =
  parseSessionId("session") ??
  (() => {
    throw new Error("no id");
  })();
const bounds: ProcessBounds = {
  timeoutMs: undefined,
  idleMs: undefined,
  outputBytes: undefined,
  pastOutput: "drop",
  graceMs: 60_000,
  killDeadlineMs: 60_000,
  startDeadlineMs: 60_000,
};
const request = { cwd: "/", argv: ["true"], env: [], stdin: true, limits: noLimits };

let carrier: MemoryCarrier;
let link: Link;
beforeEach(() => {
  carrier = new MemoryCarrier();
  link = new Link(carrier, session);
});

function start(): ProcessChannel {
  const process = link.spawn(request, bounds);
  carrier.receive(frameBytes(frameType.started, process.channel, words(7)));
  return process;
}

describe("the hello", () => {
  test.each([
    ["another version", () => carrier.hello(1)],
    ["a missing feature", () => carrier.hello(2, 3)],
    ["another frame first", () => carrier.receive(frameBytes(frameType.started, 1, words(1)))],
    ["the end of the stream", () => carrier.destroy("gone")],
  ])("%s: the link is of no use", async (_name, act) => {
    const ready = link.ready;
    act();
    await expect(ready).rejects.toMatchObject({ code: "unavailable" });
    expect(() => link.spawn(request, bounds)).toThrow("gone");
  });

  test("comes once", async () => {
    carrier.hello();
    await link.ready;
    carrier.hello();
    expect(carrier.ended).toContain("unasked hello");
  });
});

describe("a hostile init ends the link", () => {
  const data = (type: number, bytes: number): Buffer => frameBytes(type, 2, Buffer.alloc(bytes));
  test.each<[string, () => Buffer[]]>([
    ["output before the start", () => [data(frameType.stdout, 1)]],
    ["an exit before the start", () => [frameBytes(frameType.exit, 2, exitPayload({ code: 0 }))]],
    ["two starts", () => [frameBytes(frameType.started, 2, words(1)), frameBytes(frameType.started, 2, words(1))]],
    [
      "a failure after the start",
      () => [frameBytes(frameType.started, 2, words(1)), frameBytes(frameType.failed, 2, words(2, 4))],
    ],
    [
      "output after the end",
      () => [
        frameBytes(frameType.started, 2, words(1)),
        frameBytes(frameType.exit, 2, exitPayload({ code: 0 })),
        data(frameType.stdout, 1),
      ],
    ],
    [
      "more output than was granted",
      () => [
        frameBytes(frameType.started, 2, words(1)),
        ...Array.from({ length: 5 }, () => data(frameType.stderr, 65536)),
      ],
    ],
    ["credit for input that was never sent", () => [frameBytes(frameType.credit, 2, words(1))]],
    ["a channel that nobody opened", () => [frameBytes(frameType.started, 99, words(1))]],
    ["an unasked answer", () => [frameBytes(frameType.stated, 5, Buffer.alloc(24))]],
    ["an unasked pong", () => [frameBytes(frameType.pong, 0, Buffer.alloc(8))]],
    ["a reset of a command", () => [frameBytes(frameType.reset, 2)]],
    ["an unknown frame", () => [frameBytes(99, 2)]],
  ])("%s", async (_name, frames) => {
    carrier.hello();
    const process = link.spawn(request, bounds);
    expect(process.channel).toBe(2);
    process.started.catch(() => {});
    for (const frame of frames()) carrier.receive(frame);
    expect(carrier.ended).toBeDefined();
    expect(await link.gone).toBe(carrier.ended);
    await process.ended;
  });

  test("connections past the most are reset, and unknown ones ignored", () => {
    carrier.hello();
    const seen: InsideConnection[] = [];
    link.onConnection((connection) => seen.push(connection));
    for (let i = 0; i < 300; i++) carrier.receive(frameBytes(frameType.open, 0x80000000 + i));
    expect(seen).toHaveLength(256);
    expect(carrier.frames.filter((frame) => frame.type === frameType.reset)).toHaveLength(44);
    carrier.receive(frameBytes(frameType.stdout, 0x80000000 + 299, Buffer.alloc(10)));
    expect(carrier.ended).toBeUndefined();
    carrier.receive(frameBytes(frameType.open, 0x80000000));
    expect(carrier.ended).toContain("opened twice");
  });

  test("one that reads nothing is given up", () => {
    carrier.hello();
    const process = start();
    carrier.backlog = 161 * 1024 * 1024;
    process.signal(10);
    expect(carrier.ended).toBe("init does not read");
  });
});

describe("all channels together", () => {
  test("are granted a bounded sum of credit", () => {
    carrier.hello();
    for (let i = 0; i < 256; i++) link.spawn(request, bounds).started.catch(() => {});
    expect(() => link.spawn(request, bounds)).toThrow(expect.objectContaining({ code: "resource_exhausted" }) as Error);
    const granted = carrier.frames.map((frame) => frame.payload.readUInt32LE(4));
    const sum = granted.reduce((total, credit) => total + credit, 0);
    expect(granted[0]).toBe(windowBytes);
    expect(sum).toBeLessThanOrEqual(36 * 1024 * 1024);
    link.end("over");
  });

  test("a number is free again after the end", () => {
    carrier.hello();
    for (let i = 0; i < 1000; i++) {
      const process = start();
      carrier.receive(frameBytes(frameType.exit, process.channel, exitPayload({ code: 0 })));
    }
    expect(link.running).toBe(0);
    expect(carrier.ended).toBeUndefined();
  });
});

/** Frames of the kinds that an end consists of, by name, in their order. */
function endings(): string[] {
  const names: Record<number, string> = {
    [frameType.terminate]: "terminate",
    [frameType.kill]: "kill",
    [frameType.discard]: "discard",
  };
  return carrier.frames.flatMap(({ type }) => names[type] ?? []);
}

async function exitOf(process: ProcessChannel): Promise<ProcessExit> {
  for await (const event of process.events) if (event.kind === "exit") return event;
  throw new Error("no exit came");
}

describe("an end", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    carrier.hello();
  });
  afterEach(() => vi.useRealTimers());

  function running(more: Partial<ProcessBounds> = {}): ProcessChannel {
    const process = link.spawn(request, { ...bounds, graceMs: 2000, killDeadlineMs: 1000, ...more });
    carrier.receive(frameBytes(frameType.started, process.channel, words(7)));
    return process;
  }
  const exited = (process: ProcessChannel, exit: Parameters<typeof exitPayload>[0] = { signal: 15 }): void =>
    carrier.receive(frameBytes(frameType.exit, process.channel, exitPayload(exit)));

  test("is asked for once, then forced, then the link goes", async () => {
    const process = running();
    const ended = process.end();
    void process.end();
    vi.advanceTimersByTime(1999);
    expect(endings()).toEqual(["terminate"]);
    vi.advanceTimersByTime(1);
    expect(endings()).toEqual(["terminate", "kill"]);
    vi.advanceTimersByTime(1000);
    await ended;
    expect(carrier.ended).toContain("could not be killed");
  });

  test("that comes in time is not forced", async () => {
    const process = running();
    void process.end();
    exited(process, { code: 3 });
    vi.advanceTimersByTime(10_000);
    expect(endings()).toEqual(["terminate"]);
    expect(carrier.ended).toBeUndefined();
    expect(await exitOf(process)).toMatchObject({ code: 3 });
    await process.end();
    await process.kill();
    expect(endings()).toEqual(["terminate"]);
  });

  test("without grace, or by a kill, is forced at once", () => {
    void running({ graceMs: 0 }).end();
    expect(endings()).toEqual(["kill"]);
    const process = running();
    void process.end();
    void process.kill();
    void process.end();
    vi.advanceTimersByTime(999);
    expect(endings()).toEqual(["kill", "terminate", "kill"]);
    expect(carrier.ended).toBeUndefined();
  });

  test("because the reader left drops what is written", async () => {
    const process = running();
    for await (const _event of process.events) break;
    expect(endings()).toEqual(["discard", "terminate"]);
    exited(process);
    await process.ended;
  });

  test.each<[string, Partial<ProcessBounds>]>([
    ["timeout", { timeoutMs: 5000 }],
    ["idle", { idleMs: 5000 }],
  ])("by the limit %s has its name", async (limit, more) => {
    const process = running(more);
    vi.advanceTimersByTime(4999);
    expect(endings()).toEqual([]);
    vi.advanceTimersByTime(2);
    expect(endings()).toEqual(["terminate"]);
    exited(process, { code: 0 });
    expect(await exitOf(process)).toMatchObject({ code: 0, limit });
  });

  test("by silence is put off by output, by input that was sent or taken, and by a reader who stands still", async () => {
    const process = running({ idleMs: 1000 });
    const later = (act: () => void): void => {
      act();
      vi.advanceTimersByTime(900);
      expect(endings()).toEqual([]);
    };
    later(() => carrier.receive(frameBytes(frameType.stdout, process.channel, Buffer.alloc(10))));
    later(() => void process.writeStdin(Buffer.alloc(10)));
    later(() => carrier.receive(frameBytes(frameType.credit, process.channel, words(10))));
    for (let left = windowBytes - 10; left > 0; left -= 65_536)
      carrier.receive(frameBytes(frameType.stdout, process.channel, Buffer.alloc(Math.min(left, 65_536))));
    vi.advanceTimersByTime(60_000);
    expect(endings()).toEqual([]);
    // The reader goes on: from now on it is the command's own silence.
    const events = process.events[Symbol.asyncIterator]();
    for (let bytes = 0; bytes < windowBytes;) {
      const { value } = await events.next();
      if (value !== undefined && "data" in value) bytes += value.data.length;
    }
    vi.advanceTimersByTime(2000);
    expect(endings()).toEqual(["terminate"]);
  });

  test("by output comes with its first byte too many; otherwise that is dropped, there too", async () => {
    const output = (process: ProcessChannel, size: number): void =>
      carrier.receive(frameBytes(frameType.stdout, process.channel, Buffer.alloc(size)));
    const ends = running({ outputBytes: 10, pastOutput: "end" });
    output(ends, 10);
    expect(endings()).toEqual([]);
    output(ends, 1);
    expect(endings()).toEqual(["discard", "terminate"]);
    exited(ends);
    expect(await exitOf(ends)).toMatchObject({ limit: "output", truncated: true });
    const drops = running({ outputBytes: 10 });
    for (let i = 0; i < 5; i++) output(drops, 8);
    expect(endings().slice(2)).toEqual(["discard"]);
    exited(drops, { code: 0 });
    const exit = await exitOf(drops);
    expect(exit).toMatchObject({ truncated: true });
    expect(exit.limit).toBeUndefined();
  });

  test("for a limit that init knows of has its name, but not where the sidecar had one before", async () => {
    const names = [];
    for (const limit of [0, 1, 2, 3, 4]) {
      const process = running();
      exited(process, { signal: 9, limit });
      names.push((await exitOf(process)).limit);
    }
    expect(names).toEqual([undefined, "memory", "cpu", "pids", "file-size"]);
    const late = running({ timeoutMs: 10 });
    vi.advanceTimersByTime(11);
    exited(late, { signal: 9, limit: 1 });
    expect((await exitOf(late)).limit).toBe("timeout");
  });
});

describe("whatever init sends", () => {
  const types = Object.values(frameType);
  const anything = fc.record({
    type: fc.oneof(fc.constantFrom(...types), fc.nat(255)),
    channel: fc.constantFrom(0, 1, 2, 3, 4, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom(
        words(1),
        words(9, 0),
        words(0, 0, 0, 0, 0, 0),
        words(65536),
        exitPayload({ code: 0 }),
        Buffer.alloc(65536),
      ),
    ),
  });
  /** What makes sense now and then, so that states are reached. */
  const sensible = fc.constantFrom(
    ...[2, 3, 4].flatMap((channel) => [
      { type: frameType.started, channel, payload: words(7) },
      { type: frameType.stdout, channel, payload: Buffer.alloc(50_000) },
      { type: frameType.exit, channel, payload: exitPayload({ code: 1 }) },
    ]),
    { type: frameType.open, channel: 0x80000000, payload: Buffer.alloc(0) },
    { type: frameType.eof, channel: 0x80000000, payload: Buffer.alloc(0) },
  );

  test("the link lives on or ends with every command told, holds no more than it granted, and no other link notices", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 3, arbitrary: sensible }, { weight: 1, arbitrary: anything }), { maxLength: 40 }),
        fc.array(fc.nat(70_000), { maxLength: 20 }),
        async (frames, sizes) => {
          const [hostile, other] = [new MemoryCarrier(), new MemoryCarrier()];
          const [bad, good] = [new Link(hostile, session), new Link(other, session)];
          hostile.hello();
          other.hello();
          bad.onConnection(() => {});
          const processes = [1, 2, 3].map(() => bad.spawn(request, bounds));
          const starts = processes.map((process) =>
            process.started.then(
              () => true,
              () => false,
            ),
          );
          const kept = good.spawn(request, bounds);
          other.receive(frameBytes(frameType.started, kept.channel, words(7)));
          const whole = Buffer.concat(frames.map(({ type, channel, payload }) => frameBytes(type, channel, payload)));
          for (const chunk of cut(whole, sizes)) hostile.receive(chunk);
          const broken = hostile.ended !== undefined;
          bad.end("over");
          expect(await bad.gone).toBe(broken ? hostile.ended : "over");
          await Promise.all([...starts, ...processes.map((process) => process.ended)]);
          for (const process of processes) {
            let bytes = 0;
            let exits = 0;
            try {
              for await (const event of process.events) {
                if ("data" in event) bytes += event.data.length;
                if (event.kind === "exit") exits += 1;
              }
              expect(exits).toBe(1);
            } catch (error) {
              expect(error).toMatchObject({ name: "Problem" });
              expect(exits).toBe(0);
            }
            expect(bytes).toBeLessThanOrEqual(windowBytes);
          }
          other.receive(frameBytes(frameType.exit, kept.channel, exitPayload({ code: 4 })));
          expect(await exitOf(kept)).toMatchObject({ code: 4 });
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("deadlines", () => {
  test("a command that is neither started nor refused ends the link", async () => {
    vi.useFakeTimers();
    carrier.hello();
    const process = link.spawn(request, { ...bounds, startDeadlineMs: 1000 });
    const started = expect(process.started).rejects.toMatchObject({ code: "unavailable" });
    vi.advanceTimersByTime(1001);
    vi.useRealTimers();
    await started;
    expect(carrier.ended).toContain("did not start");
  });

  test("a command that does not die ends the link", async () => {
    vi.useFakeTimers();
    carrier.hello();
    const process = link.spawn(request, { ...bounds, killDeadlineMs: 1000 });
    carrier.receive(frameBytes(frameType.started, process.channel, words(1)));
    const killed = process.kill();
    vi.advanceTimersByTime(1001);
    vi.useRealTimers();
    await killed;
    expect(carrier.ended).toContain("could not be killed");
    expect(carrier.frames.filter((frame) => frame.type === frameType.kill)).toHaveLength(1);
  });
});

describe("credit", () => {
  test("for output is granted as the reader takes it, not before, and lazily", async () => {
    carrier.hello();
    const process = start();
    const credits = (): number[] =>
      carrier.frames.filter((frame) => frame.type === frameType.credit).map((frame) => frame.payload.readUInt32LE(0));
    for (let i = 0; i < 4; i++) carrier.receive(frameBytes(frameType.stdout, process.channel, Buffer.alloc(65536)));
    expect(credits()).toEqual([]);
    const iterator = process.events[Symbol.asyncIterator]();
    await iterator.next();
    expect(credits()).toEqual([]);
    await iterator.next();
    expect(credits()).toEqual([65536]);
  });

  test("for input is waited for, and writes keep their order", async () => {
    carrier.hello();
    const process = start();
    const done: string[] = [];
    const first = process.writeStdin(Buffer.alloc(windowBytes, "a")).then(() => done.push("first"));
    const second = process.writeStdin(Buffer.from("bb")).then(() => done.push("second"));
    process.closeStdin();
    await first;
    expect(done).toEqual(["first"]);
    carrier.receive(frameBytes(frameType.credit, process.channel, words(1)));
    expect(carrier.frames.some((frame) => frame.type === frameType.eof)).toBe(false);
    carrier.receive(frameBytes(frameType.credit, process.channel, words(65536)));
    await second;
    expect(carrier.frames.at(-1)?.type).toBe(frameType.eof);
    const sent = carrier.frames.filter((frame) => frame.type === frameType.data).map((frame) => frame.payload.length);
    expect(sent).toEqual([65536, 65536, 65536, 65536, 1, 1]);
  });

  test("past the window ends the link", async () => {
    carrier.hello();
    const process = start();
    await process.writeStdin(Buffer.from("abc"));
    carrier.receive(frameBytes(frameType.credit, process.channel, words(4)));
    expect(carrier.ended).toContain("credit past the window");
  });
});

describe("a connection", () => {
  test("tells its session, grants credit at once, and is over after both ends", async () => {
    carrier.hello();
    const opened = Promise.withResolvers<InsideConnection>();
    link.onConnection(opened.resolve);
    carrier.receive(
      frameBytes(frameType.open, 0x80000000),
      frameBytes(frameType.stdout, 0x80000000, Buffer.from("in")),
      frameBytes(frameType.eof, 0x80000000),
    );
    const connection = await opened.promise;
    expect(connection.session).toBe(session);
    expect(Buffer.from((await connection.read()) ?? []).toString()).toBe("in");
    expect(await connection.read()).toBeUndefined();
    await connection.write(Buffer.from("out"));
    connection.end();
    expect(carrier.frames.map((frame) => frame.type)).toEqual([frameType.credit, frameType.data, frameType.eof]);
    connection.destroy();
    expect(carrier.frames).toHaveLength(3);
  });

  test("that is broken rejects reads and writes that wait", async () => {
    carrier.hello();
    const opened = Promise.withResolvers<InsideConnection>();
    link.onConnection(opened.resolve);
    carrier.receive(frameBytes(frameType.open, 0x80000000));
    const connection = await opened.promise;
    const reading = connection.read();
    const writing = connection.write(Buffer.alloc(windowBytes + 1));
    link.end("over");
    await expect(reading).rejects.toMatchObject({ code: "unavailable" });
    await expect(writing).rejects.toMatchObject({ code: "unavailable" });
  });
});
