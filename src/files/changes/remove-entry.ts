import type { RemoveAction } from "../../model/action.ts";
import type { AgentId } from "../../model/ids.ts";
import { Problem } from "../../model/problem.ts";
import { kindOf } from "../file-info.ts";
import { systemProblem } from "../system-problem.ts";
import type { Trash } from "../trash/trash.ts";
import type { Trashed } from "../trash/trashed.ts";
import type { ChangeParts } from "./change-parts.ts";
import { lookThrough } from "./move-entry.ts";
import { withEntry, withPlace } from "./place.ts";

/**
 * Moves a file, a link or a folder to the trash. Links are moved themselves.
 * @throws Problem `not_found`, `failed_precondition` for a folder that holds something where that was not said, `resource_exhausted`, `aborted` …
 */
export async function removeEntry(
  { path, recursive }: RemoveAction,
  agent: AgentId,
  trash: Trash,
  parts: ChangeParts,
): Promise<Trashed> {
  try {
    return await withPlace("path", path, (place) =>
      withEntry("path", place, async (entry) => {
        const { entries, bytes } = await lookThrough(entry, parts);
        if (entries > 1 && !recursive)
          throw new Problem("failed_precondition", `${path}: the folder is not empty: it is removed only recursively`, {
            field: "recursive",
          });
        return trash.put(place, entry, { path, kind: kindOf(entry.stats), entries, bytes, agent }, parts);
      }),
    );
  } catch (error) {
    throw systemProblem(error, path);
  }
}
