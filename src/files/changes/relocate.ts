import { assertUnmoved } from "../judged-path.ts";
import { errorCode } from "../system-problem.ts";
import { syncFolder } from "../take-name.ts";
import type { Source } from "../tree/copy-tree.ts";
import { placeEntry } from "../tree/place-entry.ts";
import type { ChangeParts } from "./change-parts.ts";
import { assertSame, moveAcross, type Relocation } from "./move-across.ts";
import { wayOfPlace, type Place } from "./place.ts";

/**
 * Moves what is open as `entry` from one place to another: by one rename, or between file systems by a copy.
 * @throws Problem `aborted` where something else is there by now, `already_exists` …; the system's errors.
 */
export async function relocate(
  from: Place,
  entry: Source,
  to: Place,
  how: Relocation,
  parts: ChangeParts,
): Promise<void> {
  try {
    rename(from, entry, to, how.overwrite);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    await moveAcross(from, entry, to, how, parts);
  }
  await syncFolder(to.folder);
  await syncFolder(from.folder);
}

/** Looks and renames in one synchronous step. */
function rename(from: Place, entry: Source, to: Place, overwrite: boolean): void {
  assertUnmoved(from.folder);
  assertUnmoved(to.folder);
  assertSame(entry);
  placeEntry(entry.way, { way: wayOfPlace(to), path: to.path, overwrite });
}
