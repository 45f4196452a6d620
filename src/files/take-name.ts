import { constants, linkSync, lstatSync, renameSync, type BigIntStats } from "node:fs";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { baseName } from "../model/absolute-path.ts";
import type { WriteAction } from "../model/action.ts";
import { changedFrom } from "./assert-version.ts";
import { assertUnmoved, descriptorPath, entryPath, type JudgedPath } from "./judged-path.ts";
import type { Way } from "./way-of.ts";
import { changed, errorCode } from "./system-problem.ts";

/** The finished temporary file. */
export interface Written {
  readonly way: Way;
  readonly stats: BigIntStats;
}

/** Looks, in the same tick as what follows, whether folder and temporary file are still the ones that were opened. */
function assertOurs(folder: JudgedPath, { way, stats }: Written): void {
  assertUnmoved(folder);
  const now = lstatSync(way, { bigint: true, throwIfNoEntry: false });
  if (now === undefined || now.ino !== stats.ino || now.dev !== stats.dev) throw changed(folder.path);
}

/** Replaces or creates. Looking and renaming are one synchronous step, so that no other write of this process comes between. */
export function takeName(
  folder: JudgedPath,
  written: Written,
  { path, disposition, ifMatch }: WriteAction,
  existing: JudgedPath | undefined,
): void {
  const target = entryPath(folder, baseName(path));
  assertOurs(folder, written);
  const now = lstatSync(target, { bigint: true, throwIfNoEntry: false });
  if (now !== undefined && !now.isFile()) throw changed(path);
  if (disposition === "append" && !isSame(now, existing?.stats)) throw changed(path);
  if (ifMatch !== undefined && !isSame(now, existing?.stats))
    throw changedFrom(path, "it was changed while this was written");
  renameSync(written.way, target);
}

/** Creates only: link(2) fails where the name is taken. File systems without hard links get an empty file first, exclusively. */
export async function takeNewName(folder: JudgedPath, written: Written, { path }: WriteAction): Promise<void> {
  const target = entryPath(folder, baseName(path));
  assertOurs(folder, written);
  try {
    linkSync(written.way, target);
  } catch (error) {
    if (!["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EMLINK"].includes(errorCode(error))) throw error;
    await (
      await open(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
    ).close();
    try {
      renameSync(written.way, target);
    } catch (failure) {
      await unlink(target).catch(() => undefined);
      throw failure;
    }
  }
}

/** True where nobody wrote in between; both missing counts as the same. */
function isSame(now: BigIntStats | undefined, before: BigIntStats | undefined): boolean {
  if (now === undefined || before === undefined) return now === before;
  // No program sets the time of the last change of the inode itself (stat(2)).
  const times = now.mtimeNs === before.mtimeNs && now.ctimeNs === before.ctimeNs;
  return times && now.ino === before.ino && now.dev === before.dev && now.size === before.size;
}

/** Makes the new name last over a power cut. Folders that may not be read cannot be synced. */
export async function syncFolder(folder: JudgedPath): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await open(descriptorPath(folder.handle), constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    if (errorCode(error) === "EACCES") return;
    throw error;
  }
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems sync no folders (fsync(2)).
    if (errorCode(error) !== "EINVAL") throw error;
  } finally {
    await handle.close();
  }
}
