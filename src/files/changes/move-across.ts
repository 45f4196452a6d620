import { lstatSync, renameSync } from "node:fs";
import { assertUnmoved, entryPath, pathIn } from "../judged-path.ts";
import type { Way } from "../way-of.ts";
import { changed } from "../system-problem.ts";
import type { NotedTemp } from "../temp-journal.ts";
import { copyTree, type CopyRules, type Source } from "../tree/copy-tree.ts";
import { placeEntry } from "../tree/place-entry.ts";
import { removeTree } from "../tree/remove-tree.ts";
import type { ChangeParts } from "./change-parts.ts";
import { wayOfPlace, type Place } from "./place.ts";

/** How an entry is moved. */
export interface Relocation extends Pick<CopyRules, "others" | "visit"> {
  readonly overwrite: boolean;
}

/**
 * Moves an entry to another file system: copies it under a temporary name, moves the original aside, gives the copy its name, and removes the original. Until the copy has its name,
 * whatever happens puts the original back, after a crash the sweep. What writes into a folder while it is copied may lose what it wrote; a file that was written is `aborted`.
 * @throws Problem; the system's errors.
 */
export async function moveAcross(
  from: Place,
  entry: Source,
  to: Place,
  how: Relocation,
  parts: ChangeParts,
): Promise<void> {
  const original = pathIn(from.folder.path, from.name);
  const note = await parts.journal.noteMove(original, from.folder.path, to.folder.path);
  const staged = entryPath(to.folder, note.name);
  const aside = entryPath(from.folder, note.name);
  try {
    const { others, visit } = how;
    // The original is gone soon: its copy must be on the disk.
    const target = { folder: to.folder.handle, name: note.name, path: to.path };
    await copyTree(entry, target, { ...parts, others, visit, owner: "keep", sync: true });
    swap(from, entry, to, { staged, aside, overwrite: how.overwrite });
  } finally {
    await cleanUp(from, to, note);
  }
}

/** One synchronous step: no other request of this process comes between. */
function swap(
  from: Place,
  entry: Source,
  to: Place,
  { staged, aside, overwrite }: { readonly staged: Way; readonly aside: Way; readonly overwrite: boolean },
): void {
  assertUnmoved(from.folder);
  assertUnmoved(to.folder);
  assertSame(entry);
  const now = lstatSync(entry.way, { bigint: true });
  const written = now.mtimeNs !== entry.stats.mtimeNs || now.size !== entry.stats.size;
  if (now.isFile() && written) throw changed(from.path);
  renameSync(entry.way, aside);
  try {
    placeEntry(staged, { way: wayOfPlace(to), path: to.path, overwrite });
  } catch (error) {
    renameSync(aside, entry.way);
    throw error;
  }
}

/** What cannot be removed now, the sweep will: the note stays. */
async function cleanUp(from: Place, to: Place, note: NotedTemp): Promise<void> {
  try {
    await removeTree(to.folder.handle, note.name);
    await removeTree(from.folder.handle, note.name);
  } catch {
    return;
  }
  await note.forget();
}

/** @throws Problem `aborted` where the name stands for something else than what is open. */
export function assertSame({ way, path, stats }: Source): void {
  const now = lstatSync(way, { bigint: true, throwIfNoEntry: false });
  if (now === undefined || now.ino !== stats.ino || now.dev !== stats.dev) throw changed(path);
}
