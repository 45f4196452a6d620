import { chmod, chown, mkdir, readdir, rmdir } from "node:fs/promises";
import { baseName, parentOf, type AbsolutePath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";
import { descriptorPath, entryPath, openEntry, openJudged, type JudgedPath } from "./judged-path.ts";
import { ownerFor } from "./owner.ts";
import { changed, errorCode, systemProblem } from "./system-problem.ts";
import { assertFewMissing } from "./tree/tree-limits.ts";

/** The open folder of a file that is to be written. */
export interface OpenParent {
  readonly folder: JudgedPath;
  /** Removes the folders that were made, where they are empty still. */
  readonly undo: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Opens a folder, and makes it and those above it where they are missing and `make` is set.
 * @throws Problem `not_found`, `failed_precondition` where a part is no folder, `resource_exhausted` where too many are missing, `aborted` …
 */
export async function openParent(path: AbsolutePath, make: boolean): Promise<OpenParent> {
  const { opened, made } = await openOrMake(path, make ? { target: path, missing: 0 } : undefined);
  const folder = opened.at(-1);
  const close = async () => {
    for (const { handle } of opened) await handle.close();
  };
  const undo = async () => {
    // Deepest first. A folder that somebody used meanwhile stays.
    for (const { parent, name } of made.toReversed()) await rmdir(entryPath(parent, name)).catch(() => undefined);
  };
  if (folder?.stats.isDirectory() === true) return { folder, undo, close };
  await close();
  throw new Problem("failed_precondition", `${path}: it is no folder`, { field: "path" });
}

interface Made {
  readonly parent: JudgedPath;
  readonly name: string;
}

/** What folders are made for. */
interface Making {
  readonly target: AbsolutePath;
  /** Folders below this one that are to be made. */
  readonly missing: number;
}

async function openOrMake(
  path: AbsolutePath,
  making: Making | undefined,
): Promise<{ opened: JudgedPath[]; made: Made[] }> {
  try {
    return { opened: [await openJudged(path)], made: [] };
  } catch (error) {
    const isMissing = error instanceof Problem && error.code === "not_found";
    if (making === undefined || !isMissing || path === "/") throw error;
  }
  const { target, missing } = making;
  assertFewMissing(missing + 1, target);
  const { opened, made } = await openOrMake(parentOf(path), { target, missing: missing + 1 });
  const parent = opened.at(-1);
  try {
    if (parent === undefined) throw changed(path);
    const name = baseName(path);
    const isNew = await makeFolder(parent, name);
    if (isNew) made.push({ parent, name });
    const entry = await openEntry(parent, name);
    if (entry === undefined) throw changed(path);
    opened.push(entry);
    if (!isNew) return { opened, made };
    await dressFolder(entry, parent, 0o755);
    // The owner is looked at again where the next folder or the file is made.
    return { opened: [...opened.slice(0, -1), { ...entry, stats: await entry.handle.stat({ bigint: true }) }], made };
  } catch (error) {
    for (const step of made.toReversed()) await rmdir(entryPath(step.parent, step.name)).catch(() => undefined);
    for (const { handle } of opened) await handle.close();
    throw systemProblem(error, path);
  }
}

/** Gives a folder that was just made in `parent` its owner and its mode, whatever the umask. @throws Problem `aborted` where it is not the new one */
export async function dressFolder(entry: JudgedPath, parent: JudgedPath, mode: number): Promise<void> {
  const way = descriptorPath(entry.handle);
  const owner = ownerFor(parent.stats);
  if (owner !== undefined) {
    // Somebody may have put another folder in the place of the new one, to be given what is in it.
    if ((await readdir(way)).length > 0) throw changed(entry.path);
    await chown(way, owner.uid, owner.gid);
  }
  await chmod(way, mode);
}

/** Makes a folder for its owner alone at first. False where somebody else was faster. */
export async function makeFolder(parent: JudgedPath, name: string): Promise<boolean> {
  try {
    await mkdir(entryPath(parent, name), 0o700);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}
