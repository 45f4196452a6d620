import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { Problem } from "../model/problem.ts";
import { descriptorPath, type JudgedPath } from "./judged-path.ts";
import { assertHere } from "./tree/tree-limits.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { writeBehind } from "./write-behind.ts";

/** Sees the bytes of a file in order, as they are written. */
export type Meter = (bytes: Uint8Array) => void;

/** Copies a judged file's bytes to the start of another file. Returns how many. */
export async function copyInto(from: JudgedPath, to: FileHandle, signal: AbortSignal, meter: Meter): Promise<number> {
  const source = await open(descriptorPath(from.handle), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.allocUnsafeSlow(1 << 20);
    for (let done = 0; ;) {
      assertHere(signal);
      const { bytesRead } = await source.read(buffer, 0, buffer.length, done);
      if (bytesRead === 0) return done;
      meter(buffer.subarray(0, bytesRead));
      await writeWhole(to, buffer.subarray(0, bytesRead), done);
      done += bytesRead;
    }
  } finally {
    await source.close();
  }
}

/** Where a write begins, and what ends it. */
export interface WriteBounds {
  /** Position of the first byte. */
  readonly start: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly meter: Meter;
  /** Told of bytes when they are written. */
  readonly wrote: (bytes: number) => void;
}

/**
 * Writes a caller's chunks, each while the next one comes. Returns the bytes. A caller that stalls is left where the signal aborts or the disk refuses.
 * @throws Problem `resource_exhausted` past the limit, `cancelled`; the system's error
 */
export async function writeChunks(
  chunks: AsyncIterable<Uint8Array>,
  to: FileHandle,
  { start, maxBytes, signal, meter, wrote }: WriteBounds,
): Promise<number> {
  const iterator = chunks[Symbol.asyncIterator]();
  const broken = new AbortController();
  const either = AbortSignal.any([signal, broken.signal]);
  const behind = writeBehind(to, start, { wrote, broke: () => broken.abort() });
  let done = 0;
  let ended = false;
  try {
    for (;;) {
      assertHere(signal);
      const next = await unlessAborted(iterator.next(), either);
      if (next === undefined) break;
      if (next.done === true) {
        ended = true;
        break;
      }
      if (done + next.value.length > maxBytes)
        throw new Problem("resource_exhausted", `data: more than ${maxBytes} bytes`, { field: "data" });
      meter(next.value);
      done += next.value.length;
      const full = behind.add(next.value);
      if (full !== undefined) await full;
    }
  } finally {
    // Not awaited: a generator that waits for its own next chunk answers only when that comes.
    if (!ended) iterator.return?.().then(undefined, () => undefined);
    await behind.settle();
  }
  if (!ended) throw cancelled(signal);
  return done;
}

/** Writes all of the bytes, however few the kernel takes at a time. @throws the system's error */
export async function writeWhole(to: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await to.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

function cancelled(signal: AbortSignal): Problem {
  return new Problem("cancelled", "the caller went away", { cause: signal.reason });
}
