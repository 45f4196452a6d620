import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { ReadAction } from "../model/action.ts";
import { Problem } from "../model/problem.ts";
import { infoOf, type FileInfo } from "./file-info.ts";
import { descriptorPath, openJudged } from "./judged-path.ts";
import { systemProblem } from "./system-problem.ts";

/** Bytes handed out at a time. */
const chunkBytes = 262_144;

/** An open file. Read `chunks` to the end, or call `close`. */
export interface FileReading {
  /** The file when it was opened. */
  readonly info: FileInfo;
  /** Bytes in order, each chunk a buffer of its own. Reads what is there when it gets there: a file that grows is read further, up to the limit. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** True where the cap ended it before the file's end; known once `chunks` ended. */
  readonly truncated: boolean;
  readonly close: () => Promise<void>;
}

/**
 * Opens a regular file for reading.
 * @throws Problem `failed_precondition` for anything but a regular file, `out_of_range` where it starts past the end, `aborted`, `not_found` …
 */
export async function readFile(action: ReadAction, capBytes: number, signal: AbortSignal): Promise<FileReading> {
  const { path, offset, length } = action;
  const place = await openJudged(path);
  let handle: FileHandle;
  try {
    if (place.stats.isDirectory())
      throw new Problem("failed_precondition", `${path}: it is a folder`, { field: "path" });
    if (!place.stats.isFile())
      throw new Problem("failed_precondition", `${path}: it is no regular file`, { field: "path" });
    if (offset > place.stats.size)
      throw new Problem("out_of_range", `offset: past the end of ${path} (${place.stats.size} bytes)`, {
        field: "offset",
      });
    handle = await open(descriptorPath(place.handle), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    throw systemProblem(error, path);
  } finally {
    await place.handle.close();
  }
  const capped = length === 0 || length > capBytes;
  const state = { truncated: false };
  return {
    info: infoOf(path, place.stats),
    chunks: chunksOf(handle, action, capped ? capBytes : length, capped, state, signal),
    get truncated() {
      return state.truncated;
    },
    close: () => handle.close(),
  };
}

async function* chunksOf(
  handle: FileHandle,
  { path, offset }: ReadAction,
  limit: number,
  capped: boolean,
  state: { truncated: boolean },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    let done = 0;
    while (done < limit) {
      if (signal.aborted) throw new Problem("cancelled", "the caller went away", { cause: signal.reason });
      const chunk = await readAt(handle, offset + done, Math.min(chunkBytes, limit - done));
      if (chunk.length === 0) return;
      done += chunk.length;
      yield chunk;
    }
    state.truncated = capped && (await readAt(handle, offset + done, 1)).length > 0;
  } catch (error) {
    throw systemProblem(error, path);
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, position: number, bytes: number): Promise<Uint8Array> {
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(bytes), 0, bytes, position);
  return buffer.subarray(0, bytesRead);
}
