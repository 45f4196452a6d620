import { constants } from "node:fs";
import { chmod, chown, open } from "node:fs/promises";
import { isInside } from "../../model/absolute-path.ts";
import type { CopyAction } from "../../model/action.ts";
import type { Below } from "../../model/gate-ports.ts";
import { Problem } from "../../model/problem.ts";
import { assertUnmoved, descriptorPath, openEntry, openJudged, type JudgedPath } from "../judged-path.ts";
import { ownerFor } from "../owner.ts";
import { errorCode, systemProblem } from "../system-problem.ts";
import { syncFolder } from "../take-name.ts";
import { assertNoMounts } from "../tree/assert-no-mounts.ts";
import { copyTree, type Copied } from "../tree/copy-tree.ts";
import { openName, type OpenName } from "../tree/open-name.ts";
import { placeEntry } from "../tree/place-entry.ts";
import { removeTree } from "../tree/remove-tree.ts";
import { onlyReadable, type ChangeParts } from "./change-parts.ts";
import { wayOfPlace, withPlace, type Place } from "./place.ts";

/**
 * Copies a file, or a folder with all it holds: the copy gets its name when it is whole. What fails leaves nothing.
 * @throws Problem `already_exists`, `not_found`, `failed_precondition`, `aborted`, `resource_exhausted`, `permission_denied` where something in it may not be read …
 */
export async function copyEntry(action: CopyAction, below: Below, parts: ChangeParts): Promise<Copied> {
  const { from, to, recursive } = action;
  if (isInside(from, to))
    throw new Problem("failed_precondition", `${to}: nothing is copied into itself`, { field: "to" });
  const source = await openJudged(from);
  try {
    const isFolder = source.stats.isDirectory();
    if (isFolder && !recursive)
      throw new Problem("failed_precondition", `${from}: it is a folder, which is copied only recursively`, {
        field: "recursive",
      });
    if (isFolder) assertNoMounts(from);
    const visit = isFolder ? onlyReadable(from, below) : () => undefined;
    return await withPlace("to", to, (target) => copyTo(source, target, action, { ...parts, visit }));
  } catch (error) {
    throw systemProblem(error, from);
  } finally {
    await source.handle.close();
  }
}

interface CopyParts extends ChangeParts {
  readonly visit: (path: CopyAction["from"]) => void;
}

async function copyTo(source: JudgedPath, target: Place, { overwrite }: CopyAction, parts: CopyParts): Promise<Copied> {
  const existing = await openExisting(target, source, overwrite);
  const note = await parts.journal.note(target.folder.path);
  const temp = { ...target, name: note.name };
  try {
    const to = { folder: temp.folder.handle, name: temp.name, path: target.path };
    const copied = await copyTree({ ...source, way: descriptorPath(source.handle) }, to, {
      ...parts,
      owner: ownerFor(target.folder.stats),
      others: "refuse",
      // A tree of small files would take minutes.
      sync: !source.stats.isDirectory(),
    });
    if (existing !== undefined) await dressLike(existing, temp);
    assertUnmoved(target.folder);
    placeEntry(wayOfPlace(temp), { way: wayOfPlace(target), path: target.path, overwrite });
    await syncFolder(target.folder);
    return copied;
  } catch (error) {
    throw systemProblem(error, target.path);
  } finally {
    await existing?.handle.close();
    await removeTree(temp.folder.handle, temp.name).then(note.forget, () => undefined);
  }
}

/** The file that is to be replaced, checked as a write checks it: a rename would also replace what may not be written. */
async function openExisting(target: Place, { stats }: JudgedPath, overwrite: boolean): Promise<OpenName | undefined> {
  const { folder, name, path } = target;
  const existing = await openThere(folder, name, path);
  if (existing === undefined) return undefined;
  try {
    if (!overwrite) throw new Problem("already_exists", `${path}: it exists already`, { field: "to" });
    if (!existing.stats.isFile() || stats.isDirectory())
      throw new Problem("failed_precondition", `${path}: only a regular file is replaced, and by a file only`, {
        field: "to",
      });
    await (await open(descriptorPath(existing.handle), constants.O_WRONLY | constants.O_NONBLOCK)).close();
    return existing;
  } catch (error) {
    await existing.handle.close();
    throw systemProblem(error, path);
  }
}

async function openThere(folder: JudgedPath, name: string, path: string): Promise<OpenName | undefined> {
  try {
    return await openName(folder.handle, name);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw systemProblem(error, path);
  }
}

/** The copy takes over owner and mode of the file that it replaces. */
async function dressLike({ stats }: OpenName, temp: Place): Promise<void> {
  const copy = await openEntry(temp.folder, temp.name);
  if (copy === undefined) return;
  try {
    const way = descriptorPath(copy.handle);
    if (stats.uid !== copy.stats.uid || stats.gid !== copy.stats.gid)
      await chown(way, Number(stats.uid), Number(stats.gid));
    await chmod(way, Number(stats.mode & 0o777n));
  } finally {
    await copy.handle.close();
  }
}
