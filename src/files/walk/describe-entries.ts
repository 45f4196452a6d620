import { lstatSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { baseName, parentOf, type AbsolutePath } from "../../model/absolute-path.ts";
import { Problem } from "../../model/problem.ts";
import { infoOf, type FileInfo } from "../file-info.ts";
import { withJudged } from "../judged-path.ts";
import { wayOf } from "../way-of.ts";
import type { WalkEntry } from "./walk-folder.ts";

/** Entries that are described before others get their turn. */
const batch = 256;

/** Describes entries by their paths below the walked folder. What is gone by now, or whose folder is another one, is left out. */
export async function describeEntries(entries: readonly WalkEntry[]): Promise<FileInfo[]> {
  const byFolder = new Map<AbsolutePath, WalkEntry[]>();
  for (const entry of entries) {
    const folder = parentOf(entry.path);
    const list = byFolder.get(folder);
    if (list === undefined) byFolder.set(folder, [entry]);
    else list.push(entry);
  }
  const found = new Map<WalkEntry, FileInfo>();
  let done = 0;
  for (const [folder, inside] of byFolder)
    for (let at = 0; at < inside.length; at += batch) {
      const part = inside.slice(at, at + batch);
      for (const [entry, info] of described(folder, part)) found.set(entry, info);
      done += part.length;
      if (done >= batch) {
        await setImmediate();
        done = 0;
      }
    }
  return entries.flatMap((entry) => found.get(entry) ?? []);
}

function described(folder: AbsolutePath, entries: readonly WalkEntry[]): (readonly [WalkEntry, FileInfo])[] {
  try {
    return withJudged(folder, ({ way }) =>
      entries.flatMap((entry) => {
        const path = wayOf(`${way}/${baseName(entry.path)}`);
        const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
        return stats === undefined ? [] : [[entry, infoOf(entry.components.join("/"), stats)] as const];
      }),
    );
  } catch (error) {
    if (error instanceof Problem && (error.code === "aborted" || error.code === "not_found")) return [];
    throw error;
  }
}
