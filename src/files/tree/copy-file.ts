import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { Problem } from "../../model/problem.ts";
import { writeWhole } from "../copy-bytes.ts";
import { descriptorPath } from "../judged-path.ts";
import { systemProblem } from "../system-problem.ts";
import type { OpenName } from "./open-name.ts";
import { assertHere } from "./tree-limits.ts";

const chunkBytes = 1 << 20;
const nothing = Buffer.alloc(chunkBytes);

/** What bounds the copy of one file. */
export interface CopyBounds {
  readonly maxFileBytes: number;
  /** For people. */
  readonly path: string;
  /** Told of bytes before they are written. What it throws ends the copy. */
  readonly spend: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Copies the bytes of an open regular file into an empty one; where the source has holes, so has the copy. Returns how many bytes the copy has.
 * @throws Problem `resource_exhausted` past `maxFileBytes`, `cancelled`; the system's errors.
 */
export async function copyFileBytes(
  from: OpenName,
  to: FileHandle,
  { maxFileBytes, path, spend, signal }: CopyBounds,
): Promise<number> {
  const source = await readable(from, path);
  try {
    const buffer = Buffer.allocUnsafeSlow(chunkBytes);
    let done = 0;
    let written = 0;
    for (;;) {
      assertHere(signal);
      const { bytesRead } = await source.read(buffer, 0, chunkBytes, done).catch((error: unknown) => {
        throw systemProblem(error, path);
      });
      if (bytesRead === 0) break;
      if (done + bytesRead > maxFileBytes)
        throw new Problem("resource_exhausted", `${path}: it has more than ${maxFileBytes} bytes`, { field: "path" });
      spend(bytesRead);
      const chunk = buffer.subarray(0, bytesRead);
      // Zeros are not written: they may be a hole of a terabyte.
      if (!chunk.equals(nothing.subarray(0, bytesRead))) {
        await writeWhole(to, chunk, done);
        written = done + bytesRead;
      }
      done += bytesRead;
    }
    if (written < done) await to.truncate(done);
    return done;
  } finally {
    await source.close();
  }
}

/** What fails on this side is about the source, not about the copy. */
async function readable({ handle }: OpenName, path: string): Promise<FileHandle> {
  try {
    return await open(descriptorPath(handle), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw systemProblem(error, path);
  }
}
