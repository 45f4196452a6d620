import { open } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { writeChunks } from "../../src/files/copy-bytes.ts";
import { writeBehind } from "../../src/files/write-behind.ts";

interface Asked {
  readonly text: string;
  readonly parts: number;
  readonly at: number;
}

/** A disk that says when it has written, and how much. */
function disk() {
  const asked: Asked[] = [];
  const answers: PromiseWithResolvers<number>[] = [];
  return {
    asked,
    /** The kernel took so many bytes. */
    took: (bytes: number) => answers.at(-1)?.resolve(bytes),
    refused: (reason: string) => answers.at(-1)?.reject(new Error(reason)),
    async writev<T extends readonly NodeJS.ArrayBufferView[]>(buffers: T, position?: number) {
      const parts = buffers.map((each) => Buffer.from(each.buffer, each.byteOffset, each.byteLength));
      asked.push({ text: Buffer.concat(parts).toString(), parts: parts.length, at: position ?? -1 });
      const answer = Promise.withResolvers<number>();
      answers.push(answer);
      return { bytesWritten: await answer.promise, buffers };
    },
  };
}

function started(position = 0) {
  const file = disk();
  const news: string[] = [];
  const behind = writeBehind(file, position, {
    wrote: (bytes) => news.push(`wrote ${bytes}`),
    broke: () => news.push("broke"),
  });
  return { file, news, behind };
}

/** Lets what is settled arrive. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const large = Buffer.alloc(1 << 20, "L");

describe("writing behind", () => {
  it("writes the first at once and all that came meanwhile together", async () => {
    const { file, news, behind } = started(7);
    for (const text of ["a", "bc", "", "d"]) expect(behind.add(Buffer.from(text))).toBeUndefined();
    expect(file.asked).toEqual([{ text: "a", parts: 1, at: 7 }]);
    file.took(1);
    await turn();
    expect(file.asked[1]).toEqual({ text: "bcd", parts: 2, at: 8 });
    file.took(3);
    await behind.settle();
    expect(news).toEqual(["wrote 1", "wrote 3"]);
    expect(file.asked).toHaveLength(2);
  });

  it("goes on where the kernel took only some, also in the middle of a part", async () => {
    const { file, behind } = started();
    for (const text of ["x", "abc", "def"]) void behind.add(Buffer.from(text));
    file.took(1);
    await turn();
    file.took(4);
    await turn();
    expect(file.asked[2]).toEqual({ text: "ef", parts: 1, at: 5 });
    file.took(2);
    await behind.settle();
    expect(file.asked).toHaveLength(3);
  });

  it("has its source wait while more than enough waits: bytes or parts", async () => {
    for (const [part, count] of [
      [large, 1],
      [Buffer.from("p"), 64],
    ] as const) {
      const { file, behind } = started();
      void behind.add(Buffer.from("x"));
      for (let added = 1; added < count; added += 1) expect(behind.add(part)).toBeUndefined();
      const full = behind.add(part);
      expect(full).toBeInstanceOf(Promise);
      file.took(1);
      await full;
      expect(file.asked).toHaveLength(2);
      file.took(part.length * count);
      await behind.settle();
    }
  });

  it("tells what the disk said at once, and to everybody who asks later; nothing more is written", async () => {
    const { file, news, behind } = started();
    void behind.add(Buffer.from("x"));
    const full = behind.add(large);
    file.refused("ENOSPC");
    await expect(full).rejects.toThrow("ENOSPC");
    expect(news).toEqual(["broke"]);
    expect(() => behind.add(Buffer.from("y"))).toThrow("ENOSPC");
    await expect(behind.settle()).rejects.toThrow("ENOSPC");
    expect(file.asked).toHaveLength(1);
  });

  it("does not wait for a caller who stalls where the disk is full", async () => {
    const handle = await open("/dev/full", "w");
    try {
      async function* stalls() {
        yield Buffer.from("x");
        await new Promise<never>(() => {});
      }
      const bounds = { start: 0, maxBytes: 10, signal: new AbortController().signal, meter: () => {}, wrote: () => {} };
      await expect(writeChunks(stalls(), handle, bounds)).rejects.toMatchObject({ code: "ENOSPC" });
    } finally {
      await handle.close();
    }
  });
});
