import * as fc from "fast-check";
import { expect, it } from "vitest";
import { maxPathBytes, parseAbsolutePath } from "../../src/model/absolute-path.ts";
import { bytesOfPath, pathOfBytes } from "../../src/model/path-bytes.ts";

it("gives every sequence of bytes back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect([...bytesOfPath(pathOfBytes(bytes))]).toEqual([...bytes]);
    }),
  );
});

it("leaves UTF-8 as it is and escapes what is none", () => {
  for (const text of ["", "/a/ä€😀", "\ufeffbom", "\ufffd"]) expect(pathOfBytes(Buffer.from(text))).toBe(text);
  for (const [bytes, text] of [
    [[0x61, 0xff], "a\udcff"],
    [[0xc3], "\udcc3"],
    [[0xc0, 0xaf], "\udcc0\udcaf"],
    [[0xed, 0xa0, 0x80], "\udced\udca0\udc80"],
    [[0xf4, 0x90, 0x80, 0x80], "\udcf4\udc90\udc80\udc80"],
    [[0xe2, 0x82, 0xc3, 0xa4], "\udce2\udc82ä"],
  ] as const)
    expect(pathOfBytes(Uint8Array.from(bytes))).toBe(text);
});

it("never takes two sequences of bytes for one text", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6 }), fc.uint8Array({ maxLength: 6 }), (a, b) => {
      expect(pathOfBytes(a) === pathOfBytes(b)).toBe(Buffer.from(a).equals(b));
    }),
  );
});

it("refuses half pairs that stand for no byte", () => {
  expect(() => bytesOfPath("\ud800")).toThrow(RangeError);
  expect(() => bytesOfPath("\udc7f")).toThrow(RangeError);
});

it("counts a byte as one in the length of a path", () => {
  expect(parseAbsolutePath(`/${"\udcff".repeat(maxPathBytes - 1)}`)).toBeDefined();
  expect(parseAbsolutePath(`/${"\udcff".repeat(maxPathBytes)}`)).toBeUndefined();
});
