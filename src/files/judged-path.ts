import { closeSync, constants, fstatSync, openSync, readlinkSync, type BigIntStats } from "node:fs";
import { open, readlink, type FileHandle } from "node:fs/promises";
import { baseName, isInside, parentOf, type AbsolutePath } from "../model/absolute-path.ts";
import { bytesOfPath } from "../model/path-bytes.ts";
import { Problem } from "../model/problem.ts";
import { storedName } from "./stored-name.ts";
import { changed, errorCode, systemProblem } from "./system-problem.ts";
import { type Way, wayOf } from "./way-of.ts";

/** open(2): a descriptor that names a place and opens nothing. Node does not export it; the value is the same on every Linux that Node runs on. */
export const pathOnly = 0o10000000;

const procfs = "/proc" as AbsolutePath;

/** A place in the file system that was looked at after it was opened. */
export interface JudgedPath {
  readonly path: AbsolutePath;
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/**
 * Opens the place that was judged, whatever it is, without reading it. Links are not followed; a path that leads elsewhere by now is refused.
 * The caller closes the handle.
 * @throws Problem `aborted` where it changed, `not_found` and the other meanings of errno
 */
export async function openJudged(path: AbsolutePath): Promise<JudgedPath> {
  return openPlace(wayOf(path), path);
}

/**
 * Opens an entry of a folder that is open. `undefined` where there is none.
 * @throws Problem as {@link openJudged}
 */
export async function openEntry(folder: JudgedPath, name: string): Promise<JudgedPath | undefined> {
  try {
    return await openPlace(entryPath(folder, name), pathIn(folder.path, name));
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}

/** The path of an entry. */
export function pathIn(folder: AbsolutePath, name: string): AbsolutePath {
  return `${folder === "/" ? "" : folder}/${name}` as AbsolutePath;
}

/** The way to an entry that starts at the open folder, wherever its name leads by now. */
export function entryPath(folder: JudgedPath, name: string): Way {
  return wayOf(`${descriptorPath(folder.handle)}/${name}`);
}

/** The way to what a handle holds. */
export function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

/** Looks again, in the same tick as what follows. @throws Problem `aborted` where the open place is not at its path any more */
export function assertUnmoved({ handle, path }: JudgedPath): void {
  if (!isAt(readlinkSync(descriptorPath(handle), { encoding: "buffer" }), path)) throw changed(path);
}

/** A place that is looked at and left in one tick. */
export interface JudgedNow {
  readonly path: AbsolutePath;
  readonly stats: BigIntStats;
  /** The way to the place itself; good until {@link withJudged} returns. */
  readonly way: string;
}

/**
 * The same without waiting: opens the place, acts and closes it. For the many small looks of a walk, each of which takes microseconds, where handing it to another thread takes ten
 * times as long.
 * @throws Problem as {@link openJudged}
 */
export function withJudged<T>(path: AbsolutePath, act: (place: JudgedNow) => T): T {
  assertServed(path);
  let fd: number | undefined;
  try {
    fd = openSync(wayOf(path), pathOnly | constants.O_NOFOLLOW);
    const way = `/proc/self/fd/${fd}`;
    const stats = fstatSync(fd, { bigint: true });
    if (!isAt(readlinkSync(way, { encoding: "buffer" }), path) || stats.isSymbolicLink()) throw changed(path);
    assertSpelled(path, stats);
    return act({ path, stats, way });
  } catch (error) {
    throw systemProblem(error, path);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Files of a procfs are other processes: their environment, memory and descriptors, the sidecar's own among them. */
function assertServed(path: AbsolutePath): void {
  if (isInside(procfs, path))
    throw new Problem("permission_denied", `${path}: files of /proc are not served`, { field: "path" });
}

async function openPlace(way: Way, path: AbsolutePath): Promise<JudgedPath> {
  assertServed(path);
  let handle: FileHandle;
  try {
    handle = await open(way, pathOnly | constants.O_NOFOLLOW);
  } catch (error) {
    throw systemProblem(error, path);
  }
  try {
    const [found, stats] = await Promise.all([whereIs(handle), handle.stat({ bigint: true })]);
    // A judged path has no link in it, so a link in its place came later.
    if (!isAt(found, path) || stats.isSymbolicLink()) throw changed(path);
    assertSpelled(path, stats);
    return { path, handle, stats };
  } catch (error) {
    await handle.close();
    throw systemProblem(error, path);
  }
}

/** On file systems that fold names the kernel tells the spelling that it was asked for; rules were asked about a name, and that must be the one that the folder has. */
function assertSpelled(path: AbsolutePath, stats: BigIntStats): void {
  const name = baseName(path);
  if (path !== "/" && storedName(parentOf(path), name, stats) !== name)
    throw new Problem("failed_precondition", `${path}: the file system spells it otherwise`, { field: "path" });
}

async function whereIs(handle: FileHandle): Promise<Buffer> {
  try {
    return await readlink(descriptorPath(handle), { encoding: "buffer" });
  } catch (error) {
    if (errorCode(error) === "ENOENT")
      throw new Problem("failed_precondition", "/proc is not mounted, so no file can be opened safely", {
        cause: error,
      });
    throw error;
  }
}

function isAt(found: Buffer, path: AbsolutePath): boolean {
  return found.equals(bytesOfPath(path));
}
