import { opendirSync, type Dir, type Dirent } from "node:fs";
import { isInside, type AbsolutePath } from "../model/absolute-path.ts";
import type { FolderEntry } from "../model/facts.ts";
import { Problem } from "../model/problem.ts";
import { wayOf } from "./way-of.ts";

const procfs = "/proc" as AbsolutePath;

/**
 * What lies in a folder, for `Facts.entries`. A procfs counts as empty: a sandbox has its own.
 * @throws Problem `invalid_argument` for a link whose name is not UTF-8
 */
export function folderEntries(folder: AbsolutePath, most: number): readonly FolderEntry[] | undefined {
  if (isInside(procfs, folder)) return [];
  const dir = openFolder(folder);
  if (dir === undefined) return [];
  const found: FolderEntry[] = [];
  try {
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
      if (found.length >= most) return undefined;
      const kind = kindOf(entry);
      // Node puts U+FFFD for bytes that are not UTF-8, and the path would lead nowhere.
      if (kind === "link" && entry.name.includes("\ufffd"))
        throw new Problem("invalid_argument", `${folder}: it holds a link whose name is not UTF-8`, { field: "path" });
      found.push({ name: entry.name, kind });
    }
  } finally {
    dir.closeSync();
  }
  return found;
}

/** Undefined where it cannot be listed: then no pattern finds anything in it either. */
function openFolder(folder: AbsolutePath): Dir | undefined {
  try {
    return opendirSync(wayOf(folder), { bufferSize: 256 });
  } catch {
    return undefined;
  }
}

function kindOf(entry: Dirent): FolderEntry["kind"] {
  if (entry.isSymbolicLink()) return "link";
  return entry.isDirectory() ? "folder" : "other";
}
