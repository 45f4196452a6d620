import { randomBytes } from "node:crypto";
import { chmod, rename, rmdir, unlink, type FileHandle } from "node:fs/promises";
import { descriptorPath } from "../judged-path.ts";
import { errorCode } from "../system-problem.ts";
import { namesOf } from "./names-of.ts";
import { openFolderName, wayTo, type OpenName } from "./open-name.ts";

/** Levels that are held open at a time. What lies deeper is first moved up. */
const mostOpen = 100;
/** Looks at a folder in which something keeps appearing. */
const mostRounds = 100;

/**
 * Removes an entry with all it holds, by descriptors: links are removed and not followed, and what is mounted in it is left alone. Nothing at all is a success.
 * @throws the system's error; `EXDEV` where something is mounted in it, `ENOTEMPTY` where something is faster than this.
 */
export async function removeTree(parent: FileHandle, name: string): Promise<void> {
  try {
    const folder = await openFolderName(parent, name);
    if (folder === undefined) return await unlink(wayTo(parent, name));
    try {
      const { dev } = await parent.stat({ bigint: true });
      await removeFolder(parent, name, folder, { top: folder.handle, dev, depth: 1 });
    } finally {
      await folder.handle.close();
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

interface Place {
  readonly top: FileHandle;
  /** The one file system of the tree. */
  readonly dev: bigint;
  readonly depth: number;
}

async function removeFolder(parent: FileHandle, name: string, folder: OpenName, place: Place): Promise<void> {
  if (folder.stats.dev !== place.dev) throw Object.assign(new Error("another file system"), { code: "EXDEV" });
  // Its own owner may have made it unreadable.
  if ((folder.stats.mode & 0o700n) !== 0o700n) await chmod(descriptorPath(folder.handle), 0o700);
  for (let round = 1; ; round += 1) {
    for await (const entry of namesOf(folder.handle)) await removeName(folder.handle, entry, place);
    try {
      return await rmdir(wayTo(parent, name));
    } catch (error) {
      if (errorCode(error) !== "ENOTEMPTY" || round === mostRounds) throw error;
    }
  }
}

async function removeName(folder: FileHandle, name: string, place: Place): Promise<void> {
  try {
    const child = await openFolderName(folder, name);
    if (child === undefined) return await unlink(wayTo(folder, name));
    try {
      if (place.depth >= mostOpen) await rename(wayTo(folder, name), wayTo(place.top, freshName()));
      else await removeFolder(folder, name, child, { ...place, depth: place.depth + 1 });
    } finally {
      await child.handle.close();
    }
  } catch (error) {
    // Gone, or another kind of thing than it was a moment before: what is there now is found in the next round.
    if (!["ENOENT", "ENOTDIR", "EISDIR"].includes(errorCode(error))) throw error;
  }
}

function freshName(): string {
  return `.sallyport-${randomBytes(16).toString("hex")}.tmp`;
}
