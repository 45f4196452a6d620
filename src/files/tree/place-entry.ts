import { linkSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import type { AbsolutePath } from "../../model/absolute-path.ts";
import { Problem } from "../../model/problem.ts";
import type { Way } from "../way-of.ts";
import { errorCode } from "../system-problem.ts";

/** Where an entry goes. */
export interface Target {
  readonly way: Way;
  readonly path: AbsolutePath;
  readonly overwrite: boolean;
}

/**
 * Gives an entry its new name, in one synchronous step. A file that may replace nothing is linked first, which fails where the name is taken, whoever was faster; a folder
 * replaces at most an empty folder that was made in the same instant.
 * @throws Problem `already_exists`, `failed_precondition` where a folder would replace or be replaced; the system's errors, `EXDEV` among them.
 */
export function placeEntry(from: Way, { way, path, overwrite }: Target): void {
  const mine = lstatSync(from, { bigint: true });
  const there = lstatSync(way, { bigint: true, throwIfNoEntry: false });
  if (there !== undefined && !overwrite)
    throw new Problem("already_exists", `${path}: it exists already`, { field: "to" });
  if (there !== undefined && (mine.isDirectory() || there.isDirectory()))
    throw new Problem("failed_precondition", `${path}: a folder replaces nothing, and nothing replaces a folder`, {
      field: "to",
    });
  if (there?.ino === mine.ino && there.dev === mine.dev) {
    // Two names of one file: rename(2) would leave both.
    unlinkSync(from);
    return;
  }
  if (!overwrite && !mine.isDirectory() && linked(from, way)) unlinkSync(from);
  else renameSync(from, way);
}

/** False where the file system, or a rule of the kernel about foreign files, has no hard links here. */
function linked(from: Way, to: Way): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EMLINK"].includes(errorCode(error))) return false;
    throw error;
  }
}
