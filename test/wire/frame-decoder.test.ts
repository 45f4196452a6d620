import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameDecoder } from "../../src/wire/frame-decoder.ts";
import type { Frame } from "../../src/wire/frame.ts";
import { frameType, headerBytes, maxData } from "../../src/wire/protocol.ts";
import { WireError } from "../../src/wire/wire-error.ts";
import { cut, exitPayload, frameBytes } from "./frames.ts";

function decode(chunks: readonly Uint8Array[]): Frame[] {
  const frames: Frame[] = [];
  const decoder = new FrameDecoder((frame) => frames.push(frame));
  for (const chunk of chunks) decoder.push(chunk);
  return frames;
}

/** Joins fragments of the same stream again, as a reader would. */
function joined(frames: readonly Frame[]): Frame[] {
  const result: Frame[] = [];
  for (const frame of frames) {
    const last = result.at(-1);
    if (
      last !== undefined &&
      "data" in last &&
      "data" in frame &&
      last.kind === frame.kind &&
      last.channel === frame.channel
    )
      result[result.length - 1] = { ...last, data: Buffer.concat([last.data, frame.data]) };
    else result.push("data" in frame ? { ...frame, data: Buffer.from(frame.data) } : frame);
  }
  return result;
}

const u32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
};

describe("what init sends is read", () => {
  test.each<[string, Buffer, Frame]>([
    ["hello", frameBytes(frameType.hello, 0, u32(1, 7)), { kind: "hello", version: 1, features: 7 }],
    ["started", frameBytes(frameType.started, 5, u32(42)), { kind: "started", channel: 5, pid: 42 }],
    ["failed", frameBytes(frameType.failed, 5, u32(2, 4)), { kind: "failed", channel: 5, errno: 2, stage: 4 }],
    ["eof", frameBytes(frameType.eof, 0x80000001), { kind: "eof", channel: 0x80000001 }],
    ["open", frameBytes(frameType.open, 0xffffffff), { kind: "open", channel: 0xffffffff }],
    ["reset", frameBytes(frameType.reset, 0x80000001), { kind: "reset", channel: 0x80000001 }],
    ["credit", frameBytes(frameType.credit, 5, u32(65536)), { kind: "credit", channel: 5, bytes: 65536 }],
    ["pong", frameBytes(frameType.pong, 0, u32(1, 1)), { kind: "pong", channel: 0, token: 0x1_0000_0001n }],
    [
      "stated",
      frameBytes(frameType.stated, 9, u32(0, 0o40755, 3, 1, 4, 0)),
      { kind: "stated", channel: 9, errno: 0, mode: 0o40755, device: 0x1_0000_0003n, inode: 4n },
    ],
    [
      "exit by code",
      frameBytes(frameType.exit, 5, exitPayload({ code: 255 })),
      {
        kind: "exit",
        channel: 5,
        code: 255,
        signal: undefined,
        flags: 0,
        limit: undefined,
        userMicros: 1,
        systemMicros: 2,
        wallMicros: 3,
        maxRssBytes: 4,
      },
    ],
    [
      "exit by signal",
      frameBytes(frameType.exit, 5, exitPayload({ signal: 9, flags: 1, limit: 1 })),
      {
        kind: "exit",
        channel: 5,
        code: undefined,
        signal: 9,
        flags: 1,
        limit: "memory",
        userMicros: 1,
        systemMicros: 2,
        wallMicros: 3,
        maxRssBytes: 4,
      },
    ],
  ])("%s", (_name, bytes, frame) => {
    expect(decode([bytes])).toEqual([frame]);
  });

  test("however it is cut into chunks", () => {
    const part = fc.oneof(
      fc.record({
        type: fc.constantFrom(frameType.stdout, frameType.stderr),
        channel: fc.nat(3),
        payload: fc.uint8Array({ minLength: 1, maxLength: 300 }),
      }),
      fc.record({
        type: fc.constant(frameType.started),
        channel: fc.nat(3),
        payload: fc.uint8Array({ minLength: 4, maxLength: 4 }),
      }),
      fc.record({ type: fc.constant(frameType.eof), channel: fc.nat(3), payload: fc.constant(new Uint8Array()) }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), fc.array(fc.nat(400), { maxLength: 40 }), (parts, sizes) => {
        const whole = Buffer.concat(parts.map(({ type, channel, payload }) => frameBytes(type, channel, payload)));
        expect(joined(decode(cut(whole, sizes)))).toEqual(joined(decode([whole])));
        const sent = parts
          .filter((p) => p.type === frameType.stdout || p.type === frameType.stderr)
          .reduce((sum, p) => sum + p.payload.length, 0);
        const got = decode([whole]).reduce((sum, frame) => sum + ("data" in frame ? frame.data.length : 0), 0);
        expect(got).toBe(sent);
      }),
    );
  });
});

describe("a hostile stream", () => {
  test.each<[string, Buffer]>([
    ["type 0", frameBytes(0, 1)],
    ["type 255", frameBytes(255, 1)],
    ["a frame that only the sidecar sends", frameBytes(frameType.spawn, 1, Buffer.alloc(20))],
    ["data without data", frameBytes(frameType.stdout, 1)],
    ["data that is too long", frameBytes(frameType.stdout, 1, Buffer.alloc(maxData + 1))],
    ["a control frame that is too long", frameBytes(frameType.started, 1, Buffer.alloc(5))],
    ["a control frame that is too short", frameBytes(frameType.exit, 1, Buffer.alloc(47))],
    ["16 MiB announced", Buffer.from([0xff, 0xff, 0xff, frameType.stdout, 1, 0, 0, 0])],
    ["no credit", frameBytes(frameType.credit, 1, u32(0))],
    ["credit past the window", frameBytes(frameType.credit, 1, u32(256 * 1024 + 1))],
    ["an exit code past 255", frameBytes(frameType.exit, 1, exitPayload({ code: 256 }))],
    ["a code and a signal", frameBytes(frameType.exit, 1, exitPayload({ code: 1, signal: 9 }))],
    ["an unknown flag", frameBytes(frameType.exit, 1, exitPayload({ code: 1, flags: 2 }))],
    ["an unknown limit", frameBytes(frameType.exit, 1, exitPayload({ code: 1, limit: 5 }))],
    ["a signal past 64", frameBytes(frameType.exit, 1, exitPayload({ signal: 65 }))],
    ["a connection on a command's channel", frameBytes(frameType.open, 1)],
  ])("%s is refused, and nothing is read afterwards", (_name, bytes) => {
    const frames: Frame[] = [];
    const decoder = new FrameDecoder((frame) => frames.push(frame));
    expect(() => decoder.push(bytes)).toThrow(WireError);
    expect(() => decoder.push(frameBytes(frameType.eof, 1))).toThrow(WireError);
    expect(frames).toEqual([]);
  });

  test("random bytes give frames or a WireError, and never more data than came", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.array(fc.nat(100), { maxLength: 30 }), (bytes, sizes) => {
        let data = 0;
        const decoder = new FrameDecoder((frame) => {
          if ("data" in frame) data += frame.data.length;
        });
        try {
          for (const chunk of cut(Buffer.from(bytes), sizes)) decoder.push(chunk);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
        expect(data).toBeLessThanOrEqual(Math.max(0, bytes.length - headerBytes));
      }),
      { numRuns: 2000 },
    );
  });

  test("one flipped byte gives frames or a WireError", () => {
    const good = Buffer.concat([
      frameBytes(frameType.hello, 0, u32(1, 7)),
      frameBytes(frameType.started, 1, u32(9)),
      frameBytes(frameType.stdout, 1, Buffer.from("some output")),
      frameBytes(frameType.exit, 1, exitPayload({ code: 0 })),
    ]);
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(good);
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        try {
          decode([bytes]);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
    );
  });

  test("a throw of the consumer breaks the decoder for good", () => {
    const decoder = new FrameDecoder(() => {
      throw new Error("no");
    });
    expect(() => decoder.push(frameBytes(frameType.eof, 1))).toThrow("no");
    expect(() => decoder.push(frameBytes(frameType.eof, 1))).toThrow(WireError);
  });
});
