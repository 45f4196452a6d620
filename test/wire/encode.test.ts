import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  encodeCredit,
  encodeDiscard,
  encodeEof,
  encodeKill,
  encodePing,
  encodeReset,
  encodeResize,
  encodeSignal,
  encodeStat,
  encodeTerminate,
} from "../../src/wire/encode-frame.ts";
import { encodeSpawn } from "../../src/wire/encode-spawn.ts";
import { frameType, maxSpawn } from "../../src/wire/protocol.ts";
import { WireError } from "../../src/wire/wire-error.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("frames to init have the layout of wire.h", () => {
  test.each([
    ["eof", encodeEof(1), "00000008 01000000"],
    ["kill", encodeKill(2), "0000000c 02000000"],
    ["terminate", encodeTerminate(2), "00000014 02000000"],
    ["discard", encodeDiscard(2), "00000015 02000000"],
    ["reset", encodeReset(0x80000000), "0000000f 00000080"],
    ["credit", encodeCredit(1, 0x01020304), "04000009 01000000 04030201"],
    ["signal", encodeSignal(1, 15), "0400000b 01000000 0f000000"],
    ["resize", encodeResize(1, 80, 24), "0400000a 01000000 50001800"],
    ["ping", encodePing(5n), "08000010 00000000 0500000000000000"],
    ["stat", encodeStat(3, "/é"), "03000012 03000000 2fc3a9"],
  ])("%s", (_name, bytes, expected) => {
    expect(hex(bytes)).toBe(expected.replaceAll(" ", ""));
  });
});

describe("a spawn", () => {
  const request = {
    cwd: "/w",
    argv: ["a", ""],
    env: ["X=1"],
    stdin: true,
    pty: { columns: 80, rows: 24 },
    credit: 262144,
    limits: { openFiles: 1, processes: 2, fileBytes: 2 ** 40, memoryBytes: 4, cpuMicros: 5 },
  };

  test("holds folder, words and variables", () => {
    const limits = "01000000 02000000 0000000000010000 0400000000000000 0500000000000000";
    const fixed = `03000000 00000400 50001800 02000000 01000000 ${limits}`;
    const text = Buffer.from("/w\0a\0\0X=1\0").toString("hex");
    expect(hex(encodeSpawn(7, request))).toBe(`3e00000207000000${fixed.replaceAll(" ", "")}${text}`);
  });

  test("keeps every text byte for byte", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        fc.pre(!text.includes("\0"));
        const bytes = Buffer.from(encodeSpawn(1, { ...request, argv: ["/bin/bash", "-c", text] }));
        const strings = bytes.subarray(60).toString("utf8").split("\0");
        expect(strings[3]).toBe(text);
        expect(bytes.readUInt32LE(0) & 0xffffff).toBe(bytes.length - 8);
        expect(bytes.readUInt32LE(0) >>> 24).toBe(frameType.spawn);
      }),
    );
  });

  test.each([
    ["a NUL in a word", { ...request, argv: ["a\0b"] }],
    ["a NUL in a variable", { ...request, env: ["A=\0"] }],
    ["half a surrogate pair", { ...request, argv: ["\ud800"] }],
    ["more than a frame holds", { ...request, argv: ["x".repeat(maxSpawn)] }],
  ])("with %s is refused", (_name, bad) => {
    expect(() => encodeSpawn(1, bad)).toThrow(WireError);
  });
});
