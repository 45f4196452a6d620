import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { ReadAction } from "../model/action.ts";
import { Problem } from "../model/problem.ts";
import { type Content, detectContent, sampleBytes } from "./detect-content.ts";
import { fileChunks } from "./file-chunks.ts";
import { infoOf, type FileInfo } from "./file-info.ts";
import { offsetOfLine, takeLines } from "./find-lines.ts";
import { type JudgedNow, withJudged } from "./judged-path.ts";
import { systemProblem } from "./system-problem.ts";

/** How a reading ended. */
export interface ReadEnd {
  /** True where a cap ended it before the end of the file or of the range. */
  readonly truncated: boolean;
  /** True where the file ended. */
  readonly endOfFile: boolean;
  /** Line feeds, and one more for a last line without one; 0 where no lines were asked for. */
  readonly lines: number;
  /** Of the whole file, where it was asked for and all of it was read. */
  readonly sha256?: Uint8Array;
}

/** An open file. Read `chunks` to the end, or call `close`. */
export interface FileReading {
  /** The file when it was opened. */
  readonly info: FileInfo;
  readonly content: Content;
  /** Bytes in order, each chunk a buffer of its own. Reads what is there when it gets there: a file that grows is read further, up to the limit. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Known once `chunks` ended. */
  readonly end: () => ReadEnd;
  readonly close: () => void;
}

/**
 * Opens a regular file for reading.
 * @throws Problem `failed_precondition` for anything but a regular file, `out_of_range` where it starts past the end, `aborted`, `not_found` …
 */
export async function readFile(action: ReadAction, capBytes: number, signal: AbortSignal): Promise<FileReading> {
  const file = withJudged(action.path, (place) => openRegular(place, action));
  try {
    const start = await startOf(file, action, signal);
    const state: { end: ReadEnd } = { end: { truncated: false, endOfFile: false, lines: 0 } };
    const cap = Math.min(capBytes, action.maxBytes ?? capBytes);
    const { info, content, close } = file;
    return { info, content, chunks: chunksOf(file, start, cap, action, signal, state), end: () => state.end, close };
  } catch (error) {
    file.close();
    throw systemProblem(error, action.path);
  }
}

interface OpenFile {
  readonly fd: number;
  readonly info: FileInfo;
  readonly content: Content;
  /** The first bytes of the file, whatever the range. */
  readonly first: Uint8Array;
  readonly close: () => void;
}

function openRegular({ path, stats, way }: JudgedNow, { offset }: ReadAction): OpenFile {
  if (stats.isDirectory()) throw new Problem("failed_precondition", `${path}: it is a folder`, { field: "path" });
  if (!stats.isFile()) throw new Problem("failed_precondition", `${path}: it is no regular file`, { field: "path" });
  if (offset > stats.size)
    throw new Problem("out_of_range", `offset: past the end of ${path} (${stats.size} bytes)`, { field: "offset" });
  const fd = openSync(way, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  let open = true;
  const close = (): void => {
    if (open) closeSync(fd);
    open = false;
  };
  try {
    // A buffer of its own: it is handed out.
    const buffer = Buffer.allocUnsafeSlow(sampleBytes);
    const first = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0));
    return { fd, info: infoOf(path, stats), content: detectContent(first), first, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** @throws Problem `out_of_range`, `failed_precondition` for an encoding in which a line feed is more than a byte */
async function startOf(
  { fd, first, content: { encoding } }: OpenFile,
  { offset, lines, path }: ReadAction,
  signal: AbortSignal,
): Promise<number> {
  if (lines === undefined) return offset;
  if (/^utf-(16|32)/.test(encoding))
    throw new Problem("failed_precondition", `from_line: ${path} is ${encoding}, whose lines are not counted`, {
      field: "from_line",
    });
  const all = fileChunks(fd, { first, start: 0, limit: Number.MAX_SAFE_INTEGER, signal });
  const found = await offsetOfLine(all, lines.from);
  if (found.offset !== undefined) return found.offset;
  throw new Problem("out_of_range", `from_line: past the end of ${path} (${found.feeds} line feeds)`, {
    field: "from_line",
  });
}

async function* chunksOf(
  { fd, first, close }: OpenFile,
  start: number,
  cap: number,
  { path, length, lines, offset, hash: wanted }: ReadAction,
  signal: AbortSignal,
  state: { end: ReadEnd },
): AsyncGenerator<Uint8Array> {
  const range = length === 0 ? Number.POSITIVE_INFINITY : length;
  const hash = wanted === true && offset === 0 && lines === undefined ? createHash("sha256") : undefined;
  let linesLeft = lines === undefined || lines.count === 0 ? Number.POSITIVE_INFINITY : lines.count;
  let feeds = 0;
  let last: number | undefined;
  let done = 0;
  try {
    for await (const chunk of fileChunks(fd, { first, start, limit: Math.min(range, cap), signal })) {
      const taken = lines === undefined ? { part: chunk, feeds: 0 } : takeLines(chunk, linesLeft);
      linesLeft -= taken.feeds;
      feeds += taken.feeds;
      done += taken.part.length;
      last = taken.part.at(-1);
      hash?.update(taken.part);
      yield taken.part;
      if (linesLeft === 0) break;
    }
    const endOfFile = fstatSync(fd).size <= start + done;
    state.end = {
      truncated: !endOfFile && linesLeft > 0 && done >= cap && done < range,
      endOfFile,
      lines: lines === undefined ? 0 : feeds + (last === undefined || last === 10 ? 0 : 1),
      ...(hash === undefined || !endOfFile ? {} : { sha256: hash.digest() }),
    };
  } catch (error) {
    throw systemProblem(error, path);
  } finally {
    close();
  }
}
