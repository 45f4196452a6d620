import { closeSync, constants, openSync, readlinkSync, type BigIntStats } from "node:fs";
import { once } from "node:events";
import { type Header, pack, type Pack } from "tar-stream";
import { type AbsolutePath, baseName, parentOf } from "../../model/absolute-path.ts";
import type { EntryVerdict } from "../../model/gate-ports.ts";
import { pathOfBytes } from "../../model/path-bytes.ts";
import { Problem } from "../../model/problem.ts";
import { fileChunks } from "../file-chunks.ts";
import { infoOf, type FileInfo } from "../file-info.ts";
import { withJudged } from "../judged-path.ts";
import { wayOf } from "../way-of.ts";
import { errorCode, systemProblem } from "../system-problem.ts";
import { walkFolder, type WalkEntry } from "../walk/walk-folder.ts";
import { gatherChunks } from "./gather-chunks.ts";
import { LeftOutLog, type LeftOutList } from "./left-out.ts";
import { staysInside } from "./stays-inside.ts";

/** What packing works with. */
export interface PackParts {
  readonly root: AbsolutePath;
  readonly honorIgnoreFiles: boolean;
  readonly verdict: EntryVerdict;
  /** Entries at most. */
  readonly maxEntries: number;
  /** Bytes of all files at most. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** A folder that is being packed. */
export interface Packing {
  /** The folder. */
  readonly info: FileInfo;
  /** The archive. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Known once `chunks` ended. */
  readonly end: () => { readonly entries: number; readonly bytes: number; readonly leftOut: LeftOutList };
}

/**
 * Packs a folder into a tar archive (pax), with names below the folder, modes and times, and without owners. Hard links become files of their own, holes zeros. What no archive can hold
 * or nobody may read is left out and named, but for what is denied, which is not named either.
 * @throws Problem `failed_precondition` where it is no folder, `resource_exhausted`, `cancelled`, `aborted`, `not_found` …
 */
export function packFolder(parts: PackParts): Packing {
  const { root } = parts;
  const { info, device } = withJudged(root, ({ stats }) => {
    if (!stats.isDirectory()) throw new Problem("failed_precondition", `${root}: it is no folder`, { field: "path" });
    return { info: infoOf(root, stats), device: stats.dev };
  });
  const job: Job = { ...parts, device, archive: pack(), leftOut: new LeftOutLog(), entries: 0, bytes: 0 };
  const end = () => ({ entries: job.entries, bytes: job.bytes, leftOut: job.leftOut });
  return { info, chunks: gatherChunks(chunksOf(job)), end };
}

interface Job extends PackParts {
  readonly device: bigint;
  readonly archive: Pack;
  readonly leftOut: LeftOutLog;
  entries: number;
  bytes: number;
}

/** The archive's bytes, while it is being filled. Where the reader leaves, so does the filling. */
async function* chunksOf(job: Job): AsyncGenerator {
  const { archive } = job;
  const filled = fill(job).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error("failed")),
  );
  try {
    yield* archive;
  } finally {
    archive.destroy(null);
    await filled;
  }
}

async function fill(job: Job): Promise<void> {
  const walk = walkFolder({ ...job, depth: Number.POSITIVE_INFINITY });
  for await (const entry of walk) {
    const name = entry.components.join("/");
    if (entry.verdict === "ask") job.leftOut.add(name, "reading it needs a question of its own");
    else if (!name.isWellFormed()) job.leftOut.add(name, "its name is not UTF-8");
    else await addEntry(job, entry, name);
  }
}

async function addEntry(job: Job, entry: WalkEntry, name: string): Promise<void> {
  try {
    switch (entry.kind) {
      case "file":
        return await addFile(job, entry.path, name);
      case "folder":
        return addFolder(job, entry.path, name);
      case "symlink":
        return addLink(job, entry, name);
      default:
        job.leftOut.add(name, "it is no file, folder or link");
    }
  } catch (error) {
    const problem = systemProblem(error, entry.path);
    // Gone, or something else by now (readlink(2) says EINVAL of what is no link any more): as if it had not been there.
    if (problem.code === "not_found" || problem.code === "aborted" || errorCode(problem) === "EINVAL") return;
    if (problem.code !== "permission_denied") throw problem;
    job.leftOut.add(name, "the file system does not permit reading it");
  }
}

function count(job: Job): void {
  job.entries += 1;
  if (job.entries > job.maxEntries)
    throw new Problem("resource_exhausted", `${job.root}: more than ${job.maxEntries} entries`, { field: "path" });
}

function addFolder(job: Job, path: AbsolutePath, name: string): void {
  const stats = withJudged(path, (place) => place.stats);
  if (stats.dev !== job.device) {
    job.leftOut.add(name, "it is another file system");
    return;
  }
  count(job);
  job.archive.entry(headOf(`${name}/`, "directory", stats));
}

function addLink(job: Job, { path, components }: WalkEntry, name: string): void {
  const target = withJudged(parentOf(path), ({ way }) =>
    pathOfBytes(readlinkSync(wayOf(`${way}/${baseName(path)}`), { encoding: "buffer" })),
  );
  if (!target.isWellFormed() || !staysInside(components, target)) {
    job.leftOut.add(name, "it is a link that leads out of the folder");
    return;
  }
  count(job);
  job.archive.entry({ name, type: "symlink", linkname: target, mode: 0o777, mtime: new Date(0) });
}

async function addFile(job: Job, path: AbsolutePath, name: string): Promise<void> {
  const { fd, stats } = withJudged(path, (place) => {
    if (!place.stats.isFile()) throw new Problem("aborted", `${path}: it is another thing by now`);
    return { fd: openSync(place.way, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY), ...place };
  });
  try {
    count(job);
    const size = Number(stats.size);
    if (job.bytes + size > job.maxBytes)
      throw new Problem("resource_exhausted", `${job.root}: more than ${job.maxBytes} bytes`, { field: "path" });
    const sink = job.archive.entry({ ...headOf(name, "file", stats), size });
    const done = new Promise<void>((resolve, reject) => sink.once("close", resolve).once("error", reject));
    done.catch(() => undefined);
    let sent = 0;
    for await (const chunk of exactly(
      fileChunks(fd, { first: new Uint8Array(), start: 0, limit: size, signal: job.signal }),
      size,
    )) {
      sent += chunk.real;
      if (!sink.write(chunk.bytes)) await Promise.race([once(sink, "drain"), done]);
    }
    sink.end(null);
    await done;
    if (sent < size) job.leftOut.add(name, "it became shorter while it was read: its end is zeros");
    job.bytes += size;
  } finally {
    closeSync(fd);
  }
}

/** A head in a tar says how long the file is before it is read: one that became shorter is filled up with zeros. */
async function* exactly(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly real: number }> {
  let left = size;
  for await (const bytes of chunks) {
    left -= bytes.length;
    yield { bytes, real: bytes.length };
  }
  for (; left > 0; left -= Math.min(left, 65_536)) yield { bytes: Buffer.alloc(Math.min(left, 65_536)), real: 0 };
}

function headOf(
  name: string,
  type: "file" | "directory",
  { mode, mtimeNs }: BigIntStats,
): Partial<Header> & Pick<Header, "name"> {
  // A ustar head holds seconds from 1970 to 2242; the library 32 bits of them.
  const seconds = Math.min(Math.max(Number(mtimeNs / 1_000_000_000n), 0), 2 ** 31 - 1);
  return { name, type, mode: Number(mode & 0o777n), mtime: new Date(seconds * 1000) };
}
