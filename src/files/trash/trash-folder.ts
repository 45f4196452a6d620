import { lstat, readFile, writeFile } from "node:fs/promises";
import { entryPath, type JudgedPath } from "../judged-path.ts";
import { errorCode } from "../system-problem.ts";
import { namesOf } from "../tree/names-of.ts";
import { removeTree } from "../tree/remove-tree.ts";
import { parseTrashed, trashedText, trashId, type Trashed } from "./trashed.ts";

/** The name of the removed entry in its folder of the trash. */
export const entryName = "entry";
/** What a folder's name begins with while it is deleted. */
export const goneBefore = "gone-";

const aboutName = "about.json";

/** Writes what is known of an entry, before the entry comes. */
export async function writeAbout(holder: JudgedPath, trashed: Trashed): Promise<void> {
  await writeFile(entryPath(holder, aboutName), trashedText(trashed), { flag: "wx", mode: 0o600 });
}

/**
 * Reads the trash as the last run left it, and deletes what it left half: a folder whose entry never came or has gone already. A folder with an entry that nobody can account
 * for is left alone.
 */
export async function openTrash(root: JudgedPath): Promise<Map<string, Trashed>> {
  const found = new Map<string, Trashed>();
  const names: string[] = [];
  for await (const name of namesOf(root.handle)) names.push(name);
  for (const name of names) {
    if (!name.startsWith(goneBefore) && !trashId.test(name)) continue;
    if (name.startsWith(goneBefore) || !(await holds(root, name))) {
      // What cannot be deleted now is tried again at the next start, and holds nothing else up.
      await removeTree(root.handle, name).catch(() => undefined);
    } else {
      const trashed = parseTrashed(name, await aboutText(root, name));
      if (trashed !== undefined) found.set(name, trashed);
    }
  }
  return found;
}

/** True where the folder has its entry. */
export async function holds(root: JudgedPath, id: string): Promise<boolean> {
  try {
    await lstat(entryPath(root, `${id}/${entryName}`));
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

async function aboutText(root: JudgedPath, id: string): Promise<string> {
  try {
    return await readFile(entryPath(root, `${id}/${aboutName}`), "utf8");
  } catch {
    return "";
  }
}
