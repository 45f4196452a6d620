import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { demultiplex } from "../../src/sandbox/demultiplex.ts";
import { EventQueue } from "../../src/sandbox/event-queue.ts";
import { RoomyBytes } from "../../src/model/roomy-bytes.ts";
import type { ProcessEvent } from "../../src/model/runtime.ts";
import { cut } from "../wire/frames.ts";

describe("events of a command", () => {
  test("keep the bytes of each stream in order, whether the reader is ahead or behind", async () => {
    const piece = fc.record({
      kind: fc.constantFrom("stdout" as const, "stderr" as const),
      data: fc.uint8Array({ minLength: 1, maxLength: 40 }),
      read: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        let taken = 0;
        const queue = new EventQueue(
          (bytes) => (taken += bytes),
          () => {},
        );
        const got: ProcessEvent[] = [];
        const reads: Promise<unknown>[] = [];
        const read = (): void =>
          void reads.push(queue.next().then(({ value }) => value !== undefined && got.push(value)));
        for (const { kind, data, read: now } of pieces) {
          if (now) read();
          queue.push({ kind, data });
        }
        queue.close();
        await Promise.all(reads);
        for await (const event of queue) got.push(event);
        for (const stream of ["stdout", "stderr"] as const) {
          const sent = Buffer.concat(pieces.filter((p) => p.kind === stream).map((p) => p.data));
          const received = Buffer.concat(got.map((event) => (event.kind === stream ? event.data : new Uint8Array())));
          expect(received.equals(sent)).toBe(true);
        }
        expect(taken).toBe(pieces.reduce((sum, p) => sum + p.data.length, 0));
      }),
    );
  });

  test("that wait in single bytes of two streams in turn are gathered", async () => {
    const queue = new EventQueue(
      () => {},
      () => {},
    );
    for (let i = 0; i < 100_000; i++)
      queue.push({ kind: i % 2 === 0 ? "stdout" : "stderr", data: Buffer.from([i % 251]) });
    queue.close();
    let events = 0;
    for await (const event of queue) events += "data" in event ? 1 : 0;
    expect(events).toBeLessThan(10);
  });

  test("are gathered up to what is given, large pieces too, and leave what they came in alone", async () => {
    const queue = new EventQueue(
      () => {},
      () => {},
      128 * 1024,
    );
    const chunk = Buffer.alloc(64 * 1024, "x");
    for (let at = 0; at < 8; at += 1) {
      queue.push({ kind: "stdout", data: chunk.subarray(0, 30_000) });
      queue.push({ kind: "stdout", data: chunk.subarray(30_000) });
    }
    queue.close();
    const sizes: number[] = [];
    for await (const event of queue) if ("data" in event) sizes.push(event.data.length);
    expect(sizes.reduce((sum, each) => sum + each, 0)).toBe(8 * chunk.length);
    expect(sizes).toHaveLength(4);
    expect(chunk.equals(Buffer.alloc(64 * 1024, "x"))).toBe(true);
  });

  test("that come in pieces at once are one event for a reader who waits, in order with the rest", async () => {
    const queue = new EventQueue(
      () => {},
      () => {},
    );
    const reads = [queue.next(), queue.next(), queue.next(), queue.next()];
    queue.push({ kind: "started", pid: 1 });
    queue.push({ kind: "stdout", data: Buffer.from("a") });
    queue.push({ kind: "stdout", data: Buffer.from("b") });
    await Promise.resolve();
    queue.push({ kind: "stdout", data: Buffer.from("c") });
    // Nothing that was there before the end may be lost to it.
    queue.close();
    const got = (await Promise.all(reads)).map(({ value }) =>
      value !== undefined && "data" in value ? Buffer.from(value.data).toString() : value?.kind,
    );
    expect(got).toEqual(["started", "ab", "c", undefined]);
  });

  test("are put into the buffers that were given back, and into no others", async () => {
    const queue = new EventQueue(
      () => {},
      () => {},
      128 * 1024,
    );
    const next = async (letter: string): Promise<RoomyBytes> => {
      const chunk = Buffer.alloc(64 * 1024, letter);
      queue.push({ kind: "stdout", data: chunk.subarray(0, 9) });
      queue.push({ kind: "stdout", data: chunk.subarray(9) });
      const { value } = await queue.next();
      if (value === undefined || !("data" in value) || !(value.data instanceof RoomyBytes)) throw new Error("no room");
      return value.data;
    };
    const [first, second] = [await next("a"), await next("b")];
    expect(Buffer.from(first).equals(Buffer.alloc(64 * 1024, "a"))).toBe(true);
    expect(second.buffer).not.toBe(first.buffer);
    first.giveBack?.();
    const third = await next("c");
    expect(third.buffer).toBe(first.buffer);
    expect(Buffer.from(second).equals(Buffer.alloc(64 * 1024, "b"))).toBe(true);
    expect([first.leftBehind, third.leftBehind]).toEqual([64 * 1024, 64 * 1024]);
  });

  test("that are few take little memory, and grow into more", async () => {
    const queue = new EventQueue(
      () => {},
      () => {},
      128 * 1024,
    );
    const take = async (pieces: readonly string[]): Promise<[string, number]> => {
      for (const piece of pieces) queue.push({ kind: "stdout", data: Buffer.from(piece) });
      const { value } = await queue.next();
      const data = value !== undefined && "data" in value ? value.data : new Uint8Array();
      return [Buffer.from(data).toString(), data.buffer.byteLength];
    };
    const [few, small] = await take(["one", "two"]);
    expect(few).toBe("onetwo");
    expect(small).toBeLessThan(8192);
    const parts = Array.from({ length: 5000 }, (_, at) => `${at},`);
    const [many] = await take(parts);
    expect(many).toBe(parts.join(""));
  });

  test("end with the error after what came before", async () => {
    const queue = new EventQueue(
      () => {},
      () => {},
    );
    queue.push({ kind: "started", pid: 1 });
    queue.close(new Error("lost"));
    expect((await queue.next()).value).toEqual({ kind: "started", pid: 1 });
    await expect(queue.next()).rejects.toThrow("lost");
  });

  test("tell once that the reader has left, and not where it read to the end", async () => {
    let left = 0;
    const queue = new EventQueue(
      () => {},
      () => (left += 1),
    );
    queue.push({ kind: "started", pid: 1 });
    for await (const event of queue) if (event.kind === "started") break;
    await queue.return();
    expect(left).toBe(1);
    const read = new EventQueue(
      () => {},
      () => (left += 1),
    );
    read.close();
    for await (const _ of read);
    expect(left).toBe(1);
  });
});

describe("an attach stream", () => {
  const piece = (stream: number, data: Uint8Array): Buffer => {
    const header = Buffer.alloc(8);
    header[0] = stream;
    header.writeUInt32BE(data.length, 4);
    return Buffer.concat([header, data]);
  };

  test("is taken apart however it is cut", () => {
    const pieces = fc.array(fc.record({ stream: fc.constantFrom(1, 2), data: fc.uint8Array({ maxLength: 50 }) }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(60), { maxLength: 30 }), (all, sizes) => {
        const out: Uint8Array[] = [];
        const err: Uint8Array[] = [];
        const unwrap = demultiplex((bytes) => err.push(bytes));
        for (const chunk of cut(Buffer.concat(all.map((one) => piece(one.stream, one.data))), sizes))
          unwrap(chunk, (bytes) => out.push(bytes));
        expect(
          Buffer.concat(out).equals(Buffer.concat(all.filter((one) => one.stream === 1).map((one) => one.data))),
        ).toBe(true);
        expect(
          Buffer.concat(err).equals(Buffer.concat(all.filter((one) => one.stream === 2).map((one) => one.data))),
        ).toBe(true);
      }),
    );
  });

  test.each([
    ["an unknown stream", Buffer.from([3, 0, 0, 0, 0, 0, 0, 1])],
    ["a piece of 4 GiB", Buffer.from([1, 0, 0, 0, 255, 255, 255, 255])],
  ])("%s is refused", (_name, bytes) => {
    expect(() => demultiplex(() => {})(bytes, () => {})).toThrow("unreadable attach stream");
  });
});
