import { create, type DescMessage, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AttachResponseSchema, RunResponseSchema } from "../../src/gen/sallyport/v1/exec_pb.ts";
import { StreamResponseSchema } from "../../src/gen/sallyport/v1/fetch_pb.ts";
import { ReadResponseSchema } from "../../src/gen/sallyport/v1/files_pb.ts";
import { RunRequestSchema } from "../../src/gen/sallyport/v1/exec_pb.ts";
import { WriteRequestSchema } from "../../src/gen/sallyport/v1/files_pb.ts";
import { encoderOf as clientEncoderOf } from "../../src/clients/client/encoder-of.ts";
import { roomBytes, RoomyBytes, roomyBytes } from "../../src/model/roomy-bytes.ts";
import { encoderOf } from "../../src/server/glue/encoder.ts";

const chunks: readonly (readonly [DescMessage, string, string])[] = [
  [RunResponseSchema, "event", "stdout"],
  [RunResponseSchema, "event", "stderr"],
  [ReadResponseSchema, "part", "data"],
  [StreamResponseSchema, "part", "data"],
];

describe("an encoder", () => {
  it.each(chunks)("writes the same bytes for a chunk of %s %s %s as the general one", (schema, oneof, name) => {
    const encode = encoderOf(schema);
    for (const length of [0, 1, 127, 128, 129, 16_383, 16_384, 65_536, 2_097_151, 2_097_152, 3_000_000]) {
      const value = Buffer.alloc(length, length % 251);
      const init = { [oneof]: { case: name, value } };
      expect(encode(init).bytes.equals(toBinary(schema, create(schema, init)))).toBe(true);
      expect(encode(create(schema, init)).bytes.equals(toBinary(schema, create(schema, init)))).toBe(true);
    }
  });

  it("writes all else as the general one does", () => {
    const encode = encoderOf(RunResponseSchema);
    for (const init of [
      {},
      { event: { case: undefined } },
      { event: { case: "started" as const, value: { pid: 3, entryId: "e" } } },
      {
        event: {
          case: "exit" as const,
          value: { status: { case: "code" as const, value: 300 }, durationMs: 2n ** 40n },
        },
      },
    ])
      expect(encode(init).bytes.equals(toBinary(RunResponseSchema, create(RunResponseSchema, init)))).toBe(true);
  });

  it("does not lose the fields beside a chunk", () => {
    const { bytes } = encoderOf(AttachResponseSchema)({
      offset: 7n,
      event: { case: "stdout", value: Buffer.from("a") },
    });
    expect(fromBinary(AttachResponseSchema, bytes)).toMatchObject({ offset: 7n, event: { case: "stdout" } });
  });

  it("writes the head of bytes with room into that room, as often as it likes", () => {
    const encode = encoderOf(ReadResponseSchema);
    for (const length of [0, 1, 127, 128, 16_383, 16_384, 262_144, 2_097_152]) {
      const { buffer } = Buffer.alloc(roomBytes + length, 7);
      const init = { part: { case: "data" as const, value: roomyBytes(buffer, length) } };
      const expected = toBinary(ReadResponseSchema, create(ReadResponseSchema, init));
      expect(encode(init).bytes.equals(expected)).toBe(true);
      expect(encode(init).bytes.equals(expected)).toBe(true);
      expect(encode(init).bytes.buffer).toBe(buffer);
    }
  });

  it("leaves alone what stands before a part of bytes with room", () => {
    const whole = roomyBytes(new ArrayBuffer(roomBytes + 100), 100);
    whole.set(Buffer.alloc(100, "a"));
    for (const part of [whole.subarray(20), whole.slice(20), whole.map((byte) => byte)]) {
      expect(part).not.toBeInstanceOf(RoomyBytes);
      encoderOf(ReadResponseSchema)({ part: { case: "data", value: part } });
    }
    expect(Buffer.from(whole).equals(Buffer.alloc(100, "a"))).toBe(true);
  });
});

describe("the client's encoder", () => {
  it.each([
    [WriteRequestSchema, "part", "data"],
    [RunRequestSchema, "step", "stdin"],
  ] as const)("writes the same bytes for %s as the general one", (schema: DescMessage, oneof, name) => {
    const encode = clientEncoderOf(schema);
    for (const length of [0, 1, 127, 128, 16_384, 300_000]) {
      const init = { [oneof]: { case: name, value: Buffer.alloc(length, length % 251) } };
      expect(encode(init).equals(toBinary(schema, create(schema, init)))).toBe(true);
    }
    expect(encode({})).toHaveLength(0);
  });

  it("uses the buffer of a large chunk again once it was copied, and no sooner", () => {
    const encode = clientEncoderOf(WriteRequestSchema);
    const encoded = (letter: string, length = 200_000) =>
      encode({ part: { case: "data", value: Buffer.alloc(length, letter) } });
    const [first, second] = [encoded("a"), encoded("b")];
    expect(second.buffer).not.toBe(first.buffer);
    const copy = Buffer.alloc(first.length);
    first.copy(copy);
    expect(copy.subarray(-200_000).equals(Buffer.alloc(200_000, "a"))).toBe(true);
    const third = encoded("c", 262_144);
    expect(third.buffer).toBe(first.buffer);
    first.copy(copy);
    expect(encoded("d").buffer).not.toBe(third.buffer);
    expect(second.subarray(-200_000).equals(Buffer.alloc(200_000, "b"))).toBe(true);
  });
});
