import { fstatSync, readv as readCallback } from "node:fs";
import { promisify } from "node:util";
import { Problem } from "../model/problem.ts";
import { roomBytes, roomyBytes } from "../model/roomy-bytes.ts";

/** Bytes handed out at a time. */
const chunkBytes = 262_144;

/** Chunks that are read in one go: a read is handed to another thread and back, which for one chunk takes as long as the reading. */
const mostAtOnce = 4;

const readAsync = promisify(readCallback);

/** Buffers that wait for other bytes; some are read into while others are sent. */
const mostSpare = 2 * mostAtOnce;

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
 * A file's bytes in order, each chunk a buffer of its own until it is given back. The next chunks are read while their reader works on those before. Ends where the file ends when it gets there.
 * The caller keeps the descriptor open until the generator is done or returned.
 * @throws Problem `cancelled`; errno of readv(2)
 */
export async function* fileChunks(fd: number, { first, start, limit, signal }: ChunkRange): AsyncGenerator<Uint8Array> {
  const spare: ArrayBuffer[] = [];
  let position = start;
  const end = start + limit;
  let next: Promise<readonly Uint8Array[]> | undefined;
  const known = first.subarray(Math.min(start, first.length), Math.min(end, first.length));
  try {
    next = known.length > 0 ? Promise.resolve([known]) : readAt(fd, position, limit, spare);
    for (;;) {
      const chunks = await next;
      next = undefined;
      if (chunks.length === 0) return;
      position += chunks.reduce((sum, { length }) => sum + length, 0);
      if (position < end && !isAtEnd(fd, position)) next = readAt(fd, position, end - position, spare);
      for (const chunk of chunks) {
        if (signal.aborted) throw new Problem("cancelled", "the caller went away", { cause: signal.reason });
        yield chunk;
      }
      // Looked at again: it may have grown meanwhile.
      if (next === undefined && (position >= end || isAtEnd(fd, position))) return;
      next ??= readAt(fd, position, end - position, spare);
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

/** Chunks of so many bytes at most, none where the file ends. */
function readAt(fd: number, position: number, limit: number, spare: ArrayBuffer[]): Promise<readonly Uint8Array[]> {
  const bytes = Math.min(limit, Math.max(fstatSync(fd).size - position, chunkBytes), mostAtOnce * chunkBytes);
  // No reading into nothing: libuv refuses that.
  if (bytes <= 0) return Promise.resolve([]);
  const sizes = Array.from({ length: Math.ceil(bytes / chunkBytes) }, (_, at) =>
    Math.min(chunkBytes, bytes - at * chunkBytes),
  );
  const buffers = sizes.map((size) => spare.pop() ?? Buffer.allocUnsafeSlow(roomBytes + size).buffer);
  const views = buffers.map((buffer, at) => new Uint8Array(buffer, roomBytes, sizes[at]));
  const found = readAsync(fd, views, position).then(({ bytesRead }) =>
    buffers.flatMap((buffer, at) => chunkIn(buffer, Math.min(bytesRead - at * chunkBytes, chunkBytes), spare)),
  );
  // It may fail while nobody waits for it yet; whoever does is told then.
  found.catch(() => undefined);
  return found;
}

/** The bytes that came into a buffer, which goes back when they were sent; none where it took none. */
function chunkIn(buffer: ArrayBuffer, bytes: number, spare: ArrayBuffer[]): readonly Uint8Array[] {
  const giveBack = (): void => {
    if (buffer.byteLength === roomBytes + chunkBytes && spare.length < mostSpare) spare.push(buffer);
  };
  if (bytes <= 0) {
    giveBack();
    return [];
  }
  const chunk = roomyBytes(buffer, bytes);
  if (buffer.byteLength === roomBytes + chunkBytes) chunk.giveBack = giveBack;
  return [chunk];
}
