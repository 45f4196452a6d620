import { lstatSync, statSync, type BigIntStats } from "node:fs";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { wayOf } from "./way-of.ts";
import { errorCode } from "./system-problem.ts";

/**
 * What tells a regular file from what it was: another file in its place, or a change of its content or its rights, gives another text (stat(2): no program sets
 * the time of the last change itself). Links are followed. Undefined where there is no regular file.
 */
export function fileState(path: AbsolutePath): string | undefined {
  return stateBy(() => {
    const stats = statSync(wayOf(path), { bigint: true });
    return stats.isFile() ? stats : undefined;
  });
}

/** The same for whatever has the name; a link is not followed, and of a folder its own entries count. Undefined where nothing has it. */
export function entryState(path: AbsolutePath): string | undefined {
  return stateBy(() => lstatSync(wayOf(path), { bigint: true }));
}

/**
 * Which folder, or file, a path leads to, whatever lies in it: another one in its place gives another text, also where it was given the same
 * inode number: the time of birth tells them apart, where the file system keeps one (statx(2)). Links are followed. Undefined where there is none.
 */
export function folderState(path: AbsolutePath): string | undefined {
  return stateBy(
    () => statSync(wayOf(path), { bigint: true }),
    ({ dev, ino, birthtimeNs }) => [dev, ino, birthtimeNs],
  );
}

function stateBy(
  look: () => BigIntStats | undefined,
  of: (stats: BigIntStats) => readonly bigint[] = (stats) => [
    stats.dev,
    stats.ino,
    stats.mode,
    stats.size,
    stats.mtimeNs,
    stats.ctimeNs,
  ],
): string | undefined {
  try {
    const stats = look();
    return stats === undefined ? undefined : of(stats).join(" ");
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : `unreadable: ${code}`;
  }
}
