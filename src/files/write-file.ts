import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { baseName, parentOf } from "../model/absolute-path.ts";
import type { WriteAction } from "../model/action.ts";
import { Problem } from "../model/problem.ts";
import { assertVersion, changedFrom } from "./assert-version.ts";
import { copyInto, writeChunks } from "./copy-bytes.ts";
import { type EarlySync, earlySync } from "./early-sync.ts";
import { infoOf, type FileInfo } from "./file-info.ts";
import { descriptorPath, entryPath, openEntry, type JudgedPath } from "./judged-path.ts";
import type { Way } from "./way-of.ts";
import { openParent } from "./open-parent.ts";
import { ownerFor } from "./owner.ts";
import { errorCode, systemProblem } from "./system-problem.ts";
import { syncFolder, takeName, takeNewName } from "./take-name.ts";
import type { TempJournal } from "./temp-journal.ts";

/** A finished write. */
export interface FileWritten {
  /** The file as it is now. */
  readonly info: FileInfo;
  /** Bytes taken from the caller. */
  readonly bytes: number;
  /** False where it existed before. */
  readonly created: boolean;
}

/** What a write works with. */
export interface WriteParts {
  readonly journal: TempJournal;
  /** Bytes that one write may bring. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** False leaves it to the kernel when the file lasts over a power cut. */
  readonly durable?: boolean;
}

/**
 * Writes a file whole or not at all: a temporary file in the same folder takes the bytes, is synced, and takes the name. On any failure and on
 * abort nothing is left, folders that were made included.
 * @throws Problem `already_exists`, `failed_precondition`, `aborted`, `cancelled`, `resource_exhausted`, `permission_denied`, `not_found` …
 */
export async function writeFile(
  action: WriteAction,
  chunks: AsyncIterable<Uint8Array>,
  parts: WriteParts,
): Promise<FileWritten> {
  const { path } = action;
  if (path === "/") throw new Problem("failed_precondition", "/: it is a folder", { field: "path" });
  const parent = await openParent(parentOf(path), action.makeParents);
  try {
    const existing = await openExisting(parent.folder, action, parts.signal);
    try {
      return await writeVia(parent.folder, existing, action, chunks, parts);
    } finally {
      await existing?.handle.close();
    }
  } catch (error) {
    await parent.undo();
    throw systemProblem(error, path);
  } finally {
    await parent.close();
  }
}

/** The file that is there, checked: a rename would also replace what its owner may not write. */
async function openExisting(
  folder: JudgedPath,
  { path, disposition, ifMatch }: WriteAction,
  signal: AbortSignal,
): Promise<JudgedPath | undefined> {
  const existing = await openEntry(folder, baseName(path));
  if (existing === undefined) {
    if (ifMatch !== undefined) throw changedFrom(path, "nothing is there any more");
    return undefined;
  }
  try {
    if (disposition === "create") throw new Problem("already_exists", `${path}: it exists already`, { field: "path" });
    if (existing.stats.isDirectory())
      throw new Problem("failed_precondition", `${path}: it is a folder`, { field: "path" });
    if (!existing.stats.isFile())
      throw new Problem("failed_precondition", `${path}: it is no regular file`, { field: "path" });
    // Not access(2): that asks for the real user, and does not know of a program that is running.
    await (await open(descriptorPath(existing.handle), constants.O_WRONLY | constants.O_NONBLOCK)).close();
    if (ifMatch !== undefined) await assertVersion(existing, ifMatch, signal);
    return existing;
  } catch (error) {
    await existing.handle.close();
    throw error;
  }
}

async function writeVia(
  folder: JudgedPath,
  existing: JudgedPath | undefined,
  action: WriteAction,
  chunks: AsyncIterable<Uint8Array>,
  { journal, maxBytes, signal, durable = true }: WriteParts,
): Promise<FileWritten> {
  const note = await journal.note(folder.path);
  const temp = entryPath(folder, note.name);
  let handle: FileHandle | undefined;
  let disk: EarlySync | undefined;
  try {
    handle = await open(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
    const hash = action.hash === true ? createHash("sha256") : undefined;
    const meter = (part: Uint8Array): void => void hash?.update(part);
    const before =
      action.disposition === "append" && existing !== undefined ? await copyInto(existing, handle, signal, meter) : 0;
    if (durable) disk = earlySync(handle);
    const bytes = await writeChunks(chunks, handle, {
      start: before,
      maxBytes,
      signal,
      meter,
      wrote: (count) => disk?.wrote(count),
    });
    await dress(handle, action, folder, existing);
    await disk?.settle();
    if (durable) await handle.sync();
    const written = { way: temp, stats: await handle.stat({ bigint: true }) };
    if (action.disposition === "create") await takeNewName(folder, written, action);
    else takeName(folder, written, action, existing);
    if (durable) await syncFolder(folder);
    const info = infoOf(action.path, written.stats);
    const digest = hash === undefined ? {} : { sha256: hash.digest() };
    return { info: { ...info, ...digest }, bytes, created: existing === undefined };
  } finally {
    await disk?.settle().catch(() => undefined);
    await handle?.close();
    // After a rename there is nothing to remove; after a link, and on failure, there is. What cannot be removed now, the sweep will.
    if (await isGone(temp)) await note.forget();
  }
}

async function isGone(temp: Way): Promise<boolean> {
  try {
    await unlink(temp);
    return true;
  } catch (error) {
    return errorCode(error) === "ENOENT";
  }
}

/** Owner and mode: those of the file that is replaced, or those of a new file in this folder. */
async function dress(
  handle: FileHandle,
  action: WriteAction,
  folder: JudgedPath,
  existing: JudgedPath | undefined,
): Promise<void> {
  const now = await handle.stat({ bigint: true });
  const owner =
    existing === undefined
      ? ownerFor(folder.stats)
      : { uid: Number(existing.stats.uid), gid: Number(existing.stats.gid) };
  if (owner !== undefined && (BigInt(owner.uid) !== now.uid || BigInt(owner.gid) !== now.gid))
    await handle.chown(owner.uid, owner.gid);
  // The clock of a file system ticks every few milliseconds. Whoever tells versions by their time must never take this one for the one before.
  if (existing?.stats.mtimeNs === now.mtimeNs) await handle.utimes(new Date(), microsecondsAfter(now.mtimeNs));
  await handle.chmod(existing === undefined ? action.mode & 0o777 : Number(existing.stats.mode & 0o777n));
}

/** Seconds of a time shortly after: Node takes a double, which holds microseconds and no nanoseconds. */
function microsecondsAfter(nanos: bigint): number {
  return (Number(nanos / 1000n) + 2) / 1e6;
}
