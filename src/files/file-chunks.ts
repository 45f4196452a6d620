import { fstatSync, read as readCallback } from "node:fs";
import { promisify } from "node:util";
import { Problem } from "../model/problem.ts";
import { roomBytes, roomyBytes } from "../model/roomy-bytes.ts";

/** Bytes handed out at a time. */
const chunkBytes = 262_144;

const readAsync = promisify(readCallback);

/** Buffers that wait for other bytes; one is read into while another is sent. */
const mostSpare = 4;

/** What is read of an open file. */
export interface ChunkRange {
  /** Its first bytes, which were read before. */
  readonly first: Uint8Array;
  readonly start: number;
  /** Bytes at most. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/**
 * A file's bytes in order, each chunk a buffer of its own until it is given back. The next chunk is read while its reader works on the one before. Ends where the file ends when it gets there.
 * The caller keeps the descriptor open until the generator is done or returned.
 * @throws Problem `cancelled`; errno of read(2)
 */
export async function* fileChunks(fd: number, { first, start, limit, signal }: ChunkRange): AsyncGenerator<Uint8Array> {
  const spare: ArrayBuffer[] = [];
  let position = start;
  const end = start + limit;
  let next: Promise<Uint8Array> | undefined;
  const known = first.subarray(Math.min(start, first.length), Math.min(end, first.length));
  try {
    next = known.length > 0 ? Promise.resolve(known) : readAt(fd, position, Math.min(chunkBytes, limit), spare);
    for (;;) {
      const chunk = await next;
      next = undefined;
      if (chunk.length === 0) return;
      position += chunk.length;
      if (signal.aborted) throw new Problem("cancelled", "the caller went away", { cause: signal.reason });
      if (position < end && !isAtEnd(fd, position))
        next = readAt(fd, position, Math.min(chunkBytes, end - position), spare);
      yield chunk;
      // Looked at again: it may have grown meanwhile.
      if (next === undefined && (position >= end || isAtEnd(fd, position))) return;
      next ??= readAt(fd, position, Math.min(chunkBytes, end - position), spare);
    }
  } finally {
    // The descriptor must not be closed, and its number given to another file, under a read.
    await next?.catch(() => undefined);
  }
}

/** True where nothing is behind this position. A size of 0 may only mean that the file system does not know it. */
export function isAtEnd(fd: number, position: number): boolean {
  const { size } = fstatSync(fd);
  return size > 0 && size <= position;
}

function readAt(fd: number, position: number, bytes: number, spare: ArrayBuffer[]): Promise<Uint8Array> {
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(roomBytes + bytes).buffer;
  const found = readAsync(fd, new Uint8Array(buffer), roomBytes, bytes, position).then(({ bytesRead }) => {
    const chunk = roomyBytes(buffer, bytesRead);
    if (bytes === chunkBytes)
      chunk.giveBack = () => {
        if (spare.length < mostSpare) spare.push(buffer);
      };
    return chunk;
  });
  // It may fail while nobody waits for it yet; whoever does is told then.
  found.catch(() => undefined);
  return found;
}
