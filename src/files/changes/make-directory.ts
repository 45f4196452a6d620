import { rmdir } from "node:fs/promises";
import { baseName, parentOf } from "../../model/absolute-path.ts";
import type { MakeDirectoryAction } from "../../model/action.ts";
import { Problem } from "../../model/problem.ts";
import { infoOf, type FileInfo } from "../file-info.ts";
import { entryPath, openEntry } from "../judged-path.ts";
import { dressFolder, makeFolder, openParent } from "../open-parent.ts";
import { changed, systemProblem } from "../system-problem.ts";
import { syncFolder } from "../take-name.ts";

/** The folder as it is now. */
export interface MadeDirectory {
  readonly info: FileInfo;
  /** False where it was there before. */
  readonly created: boolean;
}

/**
 * Makes a folder, and those above it where that is asked for. What fails leaves none of them.
 * @throws Problem `already_exists`, `not_found`, `failed_precondition` where a part of the path is no folder, `aborted` …
 */
export async function makeDirectory(action: MakeDirectoryAction): Promise<MadeDirectory> {
  const { path, parents } = action;
  if (path === "/") throw new Problem("already_exists", "/: it exists already", { field: "path" });
  const parent = await openParent(parentOf(path), parents);
  try {
    const created = await makeFolder(parent.folder, baseName(path));
    if (!created && !parents) throw new Problem("already_exists", `${path}: it exists already`, { field: "path" });
    const entry = await openEntry(parent.folder, baseName(path));
    if (entry === undefined) throw changed(path);
    try {
      if (!entry.stats.isDirectory())
        throw new Problem("already_exists", `${path}: it exists already and is no folder`, { field: "path" });
      if (created) await dressFolder(entry, parent.folder, action.mode & 0o777);
      await syncFolder(parent.folder);
      return { info: infoOf(path, await entry.handle.stat({ bigint: true })), created };
    } catch (error) {
      // A folder that somebody used meanwhile stays.
      if (created) await rmdir(entryPath(parent.folder, baseName(path))).catch(() => undefined);
      throw error;
    } finally {
      await entry.handle.close();
    }
  } catch (error) {
    await parent.undo();
    throw systemProblem(error, path);
  } finally {
    await parent.close();
  }
}
