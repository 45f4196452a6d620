import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OutputRing } from "../../src/model/output-ring.ts";

const piece = fc.record({
  kind: fc.constantFrom<"stdout" | "stderr">("stdout", "stderr"),
  data: fc.uint8Array({ maxLength: 70 }),
});

/** All that can be read from an offset on, as one text for each byte: its stream and its value. */
function readAll(ring: OutputRing, from: number, most: number): string[] {
  const seen: string[] = [];
  for (let at = from; at < ring.to;) {
    const found = ring.read(at, most);
    if (found === undefined) throw new Error(`nothing at ${at}`);
    expect(found.data.length).toBeGreaterThan(0);
    expect(found.data.length).toBeLessThanOrEqual(most);
    for (const byte of found.data) seen.push(`${found.kind} ${byte}`);
    at += found.data.length;
  }
  return seen;
}

describe("the ring", () => {
  test("keeps the last bytes with their streams, whatever is appended", () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 90 }),
        (pieces, size, most) => {
          const ring = new OutputRing(size);
          const all: string[] = [];
          for (const { kind, data } of pieces) {
            ring.append(kind, data);
            for (const byte of data) all.push(`${kind} ${byte}`);
            expect(ring.to).toBe(all.length);
            expect(ring.from).toBe(Math.max(0, all.length - size));
            expect(readAll(ring, ring.from, most)).toEqual(all.slice(ring.from));
          }
          expect(ring.read(ring.from - 1, most)).toBeUndefined();
          expect(ring.read(ring.to, most)).toBeUndefined();
        },
      ),
    );
  });

  test("grows with its output across a capacity's end", () => {
    const ring = new OutputRing(1024 * 1024);
    const expected: number[] = [];
    for (let i = 0; i < 3000; i++) {
      ring.append("stdout", Uint8Array.of(i & 255, (i >> 8) & 255, 7));
      expected.push(i & 255, (i >> 8) & 255, 7);
    }
    expect(Buffer.from(readAll(ring, 0, 100).map((text) => Number(text.split(" ")[1])))).toEqual(Buffer.from(expected));
  });

  test("gives copies, which later output does not change", () => {
    const ring = new OutputRing(4);
    ring.append("stdout", Buffer.from("abcd"));
    const before = ring.read(0, 10)?.data;
    ring.append("stdout", Buffer.from("efgh"));
    expect(Buffer.from(before ?? []).toString()).toBe("abcd");
  });

  test("keeps no more changes of stream than are worth their memory", () => {
    const ring = new OutputRing(1024 * 1024);
    for (let i = 0; i < 100_000; i++) ring.append(i % 2 === 0 ? "stdout" : "stderr", Uint8Array.of(i & 255));
    expect(ring.to - ring.from).toBe(16_384);
    expect(readAll(ring, ring.from, 10)).toEqual(
      Array.from({ length: 16_384 }, (_, index) => {
        const i = ring.from + index;
        return `${i % 2 === 0 ? "stdout" : "stderr"} ${i & 255}`;
      }),
    );
  });
});
