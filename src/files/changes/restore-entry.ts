import type { RestoreAction } from "../../model/action.ts";
import { infoOf, type FileInfo } from "../file-info.ts";
import { systemProblem } from "../system-problem.ts";
import type { Trash } from "../trash/trash.ts";
import type { Below } from "../../model/gate-ports.ts";
import type { Source } from "../tree/copy-tree.ts";
import { countTree } from "../tree/count-tree.ts";
import { onlyReadable, type ChangeParts } from "./change-parts.ts";
import { withEntry, withPlace } from "./place.ts";

/**
 * Moves an entry out of the trash. Nothing is replaced, and the folder must be there. Elsewhere than where it was, it is like a copy: nothing goes along that may not be read.
 * @throws Problem `not_found`, `already_exists`, `failed_precondition`, `aborted`, `permission_denied` where something in it may not be read …
 */
export async function restoreEntry(
  { id, path, original }: RestoreAction,
  below: Below,
  trash: Trash,
  parts: ChangeParts,
): Promise<FileInfo> {
  const look = async (entry: Source): Promise<unknown> =>
    path === original || !entry.stats.isDirectory()
      ? undefined
      : countTree(entry, parts, onlyReadable(original, below));
  try {
    return await withPlace("to", path, async (place) => {
      await trash.restore(id, place, look, parts);
      return withEntry("to", place, ({ stats }) => Promise.resolve(infoOf(path, stats)));
    });
  } catch (error) {
    throw systemProblem(error, path);
  }
}
