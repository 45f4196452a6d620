import { type Dirent, lstatSync, opendirSync } from "node:fs";
import { pathOfBytes } from "../../model/path-bytes.ts";
import { Problem } from "../../model/problem.ts";
import type { FileKind } from "../file-info.ts";
import { type JudgedNow } from "../judged-path.ts";
import { wayOf } from "../way-of.ts";

/** Names of one folder that are looked at: they must all be known to be sorted. */
const maxNames = 250_000;

/** One name in a folder. */
export interface FolderName {
  readonly name: string;
  readonly kind: FileKind;
}

/** What lies in an open folder, sorted by name in code-unit order. @throws Problem `resource_exhausted`; errno of opendir(3) */
export function folderNames({ path, way }: JudgedNow): FolderName[] {
  const found: FolderName[] = [];
  // Latin-1 keeps every byte; Node offers no byte names here.
  const dir = opendirSync(way, { encoding: "latin1", bufferSize: 512 });
  try {
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
      if (found.length === maxNames)
        throw new Problem("resource_exhausted", `${path}: it holds more than ${maxNames} names`, { field: "path" });
      const name = nameOf(entry.name);
      found.push({ name, kind: kindOf(entry) ?? lookedAt(`${way}/${name}`) });
    }
  } finally {
    dir.closeSync();
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function nameOf(latin1: string): string {
  return /[\x80-\xff]/.test(latin1) ? pathOfBytes(Buffer.from(latin1, "latin1")) : latin1;
}

/** Undefined where the file system does not say (DT_UNKNOWN of readdir(3)). */
function kindOf(entry: Dirent): FileKind | undefined {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  if (entry.isSymbolicLink()) return "symlink";
  return entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice() ? "other" : undefined;
}

function lookedAt(way: string): FileKind {
  const stats = lstatSync(wayOf(way), { throwIfNoEntry: false });
  if (stats === undefined) return "other";
  return stats.isFile() ? "file" : stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "symlink" : "other";
}
