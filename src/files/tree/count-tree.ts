import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";
import type { AbsolutePath } from "../../model/absolute-path.ts";
import { pathIn, type JudgedPath } from "../judged-path.ts";
import { errorCode, systemProblem } from "../system-problem.ts";
import { namesOf } from "./names-of.ts";
import { openFolderName, wayTo } from "./open-name.ts";
import {
  assertHere,
  assertNotTooDeep,
  assertNotTooMany,
  assertSameFileSystem,
  type TreeLimits,
} from "./tree-limits.ts";

/** What a tree holds. */
export interface TreeCount {
  /** Files, folders and links, the top included. */
  readonly entries: number;
  /** Bytes of the files. */
  readonly bytes: number;
}

/** Entries that are looked at at a time. */
const batch = 64;

/**
 * Counts an entry with all it holds, by descriptors; links are not followed. `visit` is told of each entry below the top, and ends the walk by what it throws.
 * @throws Problem `resource_exhausted` for too many or too deep, `failed_precondition` where another file system is in it, `cancelled`.
 */
export async function countTree(
  top: JudgedPath,
  limits: TreeLimits,
  visit: (path: AbsolutePath) => void = () => undefined,
): Promise<TreeCount> {
  const walk: Walk = { top, limits, visit, count: { entries: 1, bytes: 0 } };
  if (top.stats.isFile()) walk.count.bytes = Number(top.stats.size);
  if (top.stats.isDirectory()) await countFolder(top, 1, walk);
  return walk.count;
}

interface Walk {
  readonly top: JudgedPath;
  readonly limits: TreeLimits;
  readonly visit: (path: AbsolutePath) => void;
  readonly count: { entries: number; bytes: number };
}

async function countFolder(folder: JudgedPath, depth: number, walk: Walk): Promise<void> {
  assertNotTooDeep(depth, walk.top.path);
  let names: string[] = [];
  for await (const name of namesOf(folder.handle)) {
    names.push(name);
    if (names.length < batch) continue;
    await countNames(folder, names, depth, walk);
    names = [];
  }
  await countNames(folder, names, depth, walk);
}

async function countNames(folder: JudgedPath, names: readonly string[], depth: number, walk: Walk): Promise<void> {
  assertHere(walk.limits.signal);
  const found = await Promise.all(names.map((name) => look(folder, name)));
  for (const [at, stats] of found.entries()) {
    const name = names[at];
    if (stats === undefined || name === undefined) continue;
    const path = pathIn(folder.path, name);
    walk.count.entries += 1;
    assertNotTooMany(walk.count.entries, walk.limits, walk.top.path);
    walk.visit(path);
    if (stats.isFile()) walk.count.bytes += Number(stats.size);
    if (stats.isDirectory()) await countBelow(folder, name, depth, walk);
  }
}

async function look(folder: JudgedPath, name: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(wayTo(folder.handle, name), { bigint: true });
  } catch (error) {
    // It went away meanwhile.
    if (errorCode(error) === "ENOENT") return undefined;
    throw systemProblem(error, pathIn(folder.path, name));
  }
}

async function countBelow(folder: JudgedPath, name: string, depth: number, walk: Walk): Promise<void> {
  const path = pathIn(folder.path, name);
  try {
    const child = await openFolderName(folder.handle, name);
    if (child === undefined) return;
    try {
      assertSameFileSystem(child.stats, walk.top.stats, path);
      await countFolder({ path, ...child }, depth + 1, walk);
    } finally {
      await child.handle.close();
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw systemProblem(error, path);
  }
}
