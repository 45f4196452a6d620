import type { RestoreAction } from "../../model/action.ts";
import { infoOf, type FileInfo } from "../file-info.ts";
import { systemProblem } from "../system-problem.ts";
import type { Trash } from "../trash/trash.ts";
import type { ChangeParts } from "./change-parts.ts";
import { withEntry, withPlace } from "./place.ts";

/**
 * Moves an entry out of the trash. Nothing is replaced, and the folder must be there.
 * @throws Problem `not_found`, `already_exists`, `failed_precondition`, `aborted` …
 */
export async function restoreEntry({ id, path }: RestoreAction, trash: Trash, parts: ChangeParts): Promise<FileInfo> {
  try {
    return await withPlace("to", path, async (place) => {
      await trash.restore(id, place, parts);
      return withEntry("to", place, ({ stats }) => Promise.resolve(infoOf(path, stats)));
    });
  } catch (error) {
    throw systemProblem(error, path);
  }
}
