import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Link } from "../../src/sandbox/link.ts";
import type { ProcessBounds, ProcessChannel } from "../../src/sandbox/process-channel.ts";
import { frameType, windowBytes } from "../../src/wire/protocol.ts";
import { exitPayload, frameBytes } from "../wire/frames.ts";
import { bounds, exitOf, request, session } from "./link-values.ts";
import { MemoryCarrier, words } from "./memory-carrier.ts";

let carrier: MemoryCarrier;
let link: Link;
beforeEach(() => {
  carrier = new MemoryCarrier();
  link = new Link(carrier, session);
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
