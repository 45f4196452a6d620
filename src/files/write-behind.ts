import type { FileHandle } from "node:fs/promises";

/** Bytes and parts that wait at most, beside those that are being written. */
const mostWaiting = { bytes: 1 << 20, parts: 64 };

/** Writes bytes one behind the other while their source brings more. */
export interface WriteBehind {
  /** Takes bytes, which must stay as they are. Returns a promise where the caller has to wait before the next. @throws what the disk said, here or in the promise */
  add(bytes: Uint8Array): Promise<void> | undefined;
  /** Waits until all is written. @throws what the disk said */
  settle(): Promise<void>;
}

/** What is told of a file that is being written. */
export interface WriteNews {
  /** So many more bytes are written. */
  readonly wrote: (bytes: number) => void;
  /** The disk refused; `add` and `settle` say why. */
  readonly broke: () => void;
}

/**
 * Makes one that starts at this position. One write runs at a time and takes all that waits, so that a disk that is slower than the source gets large writes. The caller settles it before the
 * handle is closed.
 */
export function writeBehind(
  to: Pick<FileHandle, "writev">,
  position: number,
  { wrote, broke }: WriteNews,
): WriteBehind {
  let waiting: Uint8Array[] = [];
  let size = 0;
  let at = position;
  /** The write that runs. */
  let running: Promise<void> | undefined;
  let fault: { readonly error: unknown } | undefined;

  async function writeNext(): Promise<void> {
    const parts = waiting;
    waiting = [];
    size = 0;
    try {
      const bytes = await writeParts(to, parts, at);
      at += bytes;
      wrote(bytes);
    } catch (error) {
      fault = { error };
      broke();
    }
    running = waiting.length > 0 && fault === undefined ? writeNext() : undefined;
  }

  async function room(isThere: () => boolean): Promise<void> {
    for (let now = running; now !== undefined && !isThere(); now = running) await now;
    if (fault !== undefined) throw fault.error;
  }

  const hasRoom = (): boolean => size < mostWaiting.bytes && waiting.length < mostWaiting.parts;
  return {
    add(bytes) {
      if (fault !== undefined) throw fault.error;
      if (bytes.length === 0) return undefined;
      waiting.push(bytes);
      size += bytes.length;
      running ??= writeNext();
      return hasRoom() ? undefined : room(hasRoom);
    },
    settle: () => room(() => false),
  };
}

/** Writes all of the parts, however few bytes the kernel takes at a time. Returns how many. @throws the system's error */
async function writeParts(
  to: Pick<FileHandle, "writev">,
  parts: readonly Uint8Array[],
  position: number,
): Promise<number> {
  let left = parts;
  let at = position;
  while (left.length > 0) {
    const { bytesWritten } = await to.writev(left, at);
    at += bytesWritten;
    left = partsAfter(left, bytesWritten);
  }
  return at - position;
}

function partsAfter(parts: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let gone = bytes;
  for (const [index, part] of parts.entries()) {
    if (gone < part.length) return [part.subarray(gone), ...parts.slice(index + 1)];
    gone -= part.length;
  }
  return [];
}
