import { isInside } from "../../model/absolute-path.ts";
import type { MoveAction } from "../../model/action.ts";
import type { Below } from "../../model/gate-ports.ts";
import { Problem } from "../../model/problem.ts";
import { systemProblem } from "../system-problem.ts";
import { assertNoMounts } from "../tree/assert-no-mounts.ts";
import type { Source } from "../tree/copy-tree.ts";
import { countTree } from "../tree/count-tree.ts";
import { onlyReadable, type ChangeParts } from "./change-parts.ts";
import { withEntry, withPlace } from "./place.ts";
import { relocate } from "./relocate.ts";

/**
 * Gives a file, a link or a folder another name, by one rename where that can be. Returns how many files and folders moved. Links are moved themselves.
 * @throws Problem `already_exists`, `not_found`, `failed_precondition`, `aborted`, `permission_denied` where something in it may not be read …
 */
export async function moveEntry(action: MoveAction, below: Below, parts: ChangeParts): Promise<number> {
  const { from, to, overwrite } = action;
  if (isInside(from, to))
    throw new Problem("failed_precondition", `${to}: nothing is moved into itself`, { field: "to" });
  try {
    return await withPlace("from", from, (source) =>
      withPlace("to", to, (target) =>
        withEntry("from", source, async (entry) => {
          const visit = entry.stats.isDirectory() ? onlyReadable(from, below) : () => undefined;
          const { entries } = await lookThrough(entry, parts, visit);
          await relocate(source, entry, target, { overwrite, visit, others: "refuse" }, parts);
          return entries;
        }),
      ),
    );
  } catch (error) {
    throw systemProblem(error, from);
  }
}

/** Counts what is in a folder that is to be moved as a whole. @throws Problem, where something is mounted in it as well. */
export async function lookThrough(
  entry: Source,
  parts: ChangeParts,
  visit: (path: Source["path"]) => void = () => undefined,
): Promise<{ readonly entries: number; readonly bytes: number }> {
  if (entry.stats.isDirectory()) assertNoMounts(entry.path);
  return countTree(entry, parts, visit);
}
