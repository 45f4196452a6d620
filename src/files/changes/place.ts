import { baseName, parentOf, type AbsolutePath } from "../../model/absolute-path.ts";
import { Problem } from "../../model/problem.ts";
import { entryPath, type JudgedPath } from "../judged-path.ts";
import type { Way } from "../way-of.ts";
import { openParent } from "../open-parent.ts";
import { systemProblem } from "../system-problem.ts";
import type { Source } from "../tree/copy-tree.ts";
import { openName } from "../tree/open-name.ts";

/** A name in an open folder, whether something has it or not. */
export interface Place {
  readonly folder: JudgedPath;
  readonly name: string;
  /** For people. */
  readonly path: AbsolutePath;
}

/** The way to a place that starts at its open folder. */
export function wayOfPlace({ folder, name }: Place): Way {
  return entryPath(folder, name);
}

/**
 * Opens the folder of a path for as long as the work takes.
 * @throws Problem that names the field: `not_found`, `failed_precondition`, `aborted` …; what the work throws.
 */
export async function withPlace<T>(field: string, path: AbsolutePath, work: (place: Place) => Promise<T>): Promise<T> {
  if (path === "/") throw new Problem("failed_precondition", "/: it has no other place", { field });
  const parent = await inField(field, () => openParent(parentOf(path), false));
  try {
    return await work({ folder: parent.folder, name: baseName(path), path });
  } finally {
    await parent.close();
  }
}

/** Opens what is at a place, without following or reading it, for as long as the work takes. @throws Problem `not_found` …; what the work throws. */
export async function withEntry<T>(field: string, place: Place, work: (entry: Source) => Promise<T>): Promise<T> {
  const { folder, name, path } = place;
  const opened = await inField(field, () => openName(folder.handle, name), path);
  try {
    return await work({ ...opened, way: wayOfPlace(place), path });
  } finally {
    await opened.handle.close();
  }
}

async function inField<T>(field: string, work: () => Promise<T>, path = ""): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message, cause } = systemProblem(error, path);
    throw new Problem(code, message, { field, cause });
  }
}
