import { beforeEach, describe, expect, test, vi } from "vitest";
import type { InsideConnection } from "../../src/model/runtime.ts";
import { Link } from "../../src/sandbox/link.ts";
import type { ProcessChannel } from "../../src/sandbox/process-channel.ts";
import { frameType, windowBytes } from "../../src/wire/protocol.ts";
import { exitPayload, frameBytes } from "../wire/frames.ts";
import { bounds, request, session } from "./link-values.ts";
import { MemoryCarrier, words } from "./memory-carrier.ts";

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

  test("more connections than init may have end the link, and unknown ones are ignored", () => {
    carrier.hello();
    const seen: InsideConnection[] = [];
    link.onConnection((connection) => seen.push(connection));
    for (let i = 0; i < 256; i++) carrier.receive(frameBytes(frameType.open, 0x80000000 + i));
    expect(seen).toHaveLength(256);
    carrier.receive(frameBytes(frameType.stdout, 0x80000000 + 299, Buffer.alloc(10)));
    expect(carrier.ended).toBeUndefined();
    carrier.receive(frameBytes(frameType.open, 0x80000000 + 256));
    expect(carrier.ended).toContain("more connections");
  });

  test("connections that nobody waits for are reset", () => {
    carrier.hello();
    for (let i = 0; i < 300; i++) carrier.receive(frameBytes(frameType.open, 0x80000000 + i));
    expect(carrier.frames.filter((frame) => frame.type === frameType.reset)).toHaveLength(300);
    expect(carrier.ended).toBeUndefined();
  });

  test("what follows in one piece on the frame that ended the link counts for nothing", () => {
    carrier.hello();
    const seen: InsideConnection[] = [];
    link.onConnection((connection) => seen.push(connection));
    carrier.backlog = 64 * 1024 * 1024;
    const opens = Array.from({ length: 20 }, (_, index) => frameBytes(frameType.open, 0x80000000 + index));
    carrier.receive(...opens);
    expect(carrier.ended).toBe("init does not read");
    expect(seen.length).toBeLessThanOrEqual(1);
  });

  test("one that reads nothing is given up", () => {
    carrier.hello();
    const process = start();
    carrier.backlog = 17 * 1024 * 1024;
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
    // Two of them were gathered.
    expect(credits()).toEqual([131072]);
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
