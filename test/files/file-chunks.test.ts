import { appendFileSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileChunks } from "../../src/files/file-chunks.ts";
import { giveBack } from "../../src/model/roomy-bytes.ts";

const chunk = 262_144;
let folder: string;
let fd: number | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chunks-"));
});

afterEach(() => {
  if (fd !== undefined) closeSync(fd);
  fd = undefined;
  rmSync(folder, { recursive: true });
});

/** Bytes none of which is like the one a chunk away. */
function patterned(length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 31 + Math.floor(at / chunk) * 7) % 251));
}

function opened(content: Buffer): number {
  writeFileSync(join(folder, "file"), content);
  fd = openSync(join(folder, "file"), "r");
  return fd;
}

const none = new AbortController().signal;

describe("the chunks of a file", () => {
  it.each([0, 1, chunk - 1, chunk, chunk + 1, 4 * chunk, 4 * chunk + 5, 11 * chunk + 77])(
    "are its %i bytes, also where each buffer goes back at once",
    async (length) => {
      const content = patterned(length);
      const parts: Buffer[] = [];
      for await (const part of fileChunks(opened(content), {
        first: content.subarray(0, 100),
        start: 0,
        limit: Number.POSITIVE_INFINITY,
        signal: none,
      })) {
        expect(part.length).toBeLessThanOrEqual(chunk);
        parts.push(Buffer.from(part));
        giveBack(part);
      }
      expect(Buffer.concat(parts).equals(content)).toBe(true);
    },
  );

  it.each([
    [0, 0],
    [0, 50],
    [200, 0],
    [200, 1],
    [chunk + 3, 3 * chunk],
    [3, 6 * chunk + 1],
    [7 * chunk, 9 * chunk],
  ])("from %i on are %i bytes at most", async (start, limit) => {
    const content = patterned(8 * chunk + 9);
    const range = { first: content.subarray(0, 100), start, limit, signal: none };
    const parts: Buffer[] = [];
    // A copy: the buffer comes back to the reader.
    for await (const part of fileChunks(opened(content), range)) parts.push(Buffer.from(part));
    expect(Buffer.concat(parts).equals(content.subarray(start, start + limit))).toBe(true);
  });

  it("are those of a file that grows and of one that shrinks while it is read", async () => {
    const content = patterned(2 * chunk);
    const range = { first: content.subarray(0, 100), start: 0, limit: Number.POSITIVE_INFINITY, signal: none };
    let read = 0;
    for await (const part of fileChunks(opened(content), range)) {
      if (read === 0) appendFileSync(join(folder, "file"), patterned(6 * chunk));
      read += part.length;
    }
    expect(read).toBe(8 * chunk);
    let left = 0;
    const file = openSync(join(folder, "file"), "r");
    for await (const part of fileChunks(file, range)) {
      if (left === 0) writeFileSync(join(folder, "file"), "");
      left += part.length;
    }
    closeSync(file);
    expect(left).toBeLessThanOrEqual(8 * chunk);
  });

  it("stop between two that were read together where the caller goes away", async () => {
    const controller = new AbortController();
    const content = patterned(6 * chunk);
    const range = { first: content.subarray(0, 0), start: 0, limit: 6 * chunk, signal: controller.signal };
    const chunks = fileChunks(opened(content), range);
    expect((await chunks.next()).done).toBe(false);
    controller.abort();
    await expect(chunks.next()).rejects.toMatchObject({ code: "cancelled" });
  });
});
