import { lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { type AbsolutePath, isInside, parentOf, parseAbsolutePath, resolvePath } from "../model/absolute-path.ts";

/**
 * Where removed files wait: in the state folder, and where the workspace lies on another file system, on that one as well, so that a removal is a rename there: on its top, or beside the
 * workspace. The second is private like the first, and made at once: what a sandbox must not see must be there before the sandbox is. It is left out where neither can be had.
 */
export function trashFolders(state: AbsolutePath, workspace: AbsolutePath): readonly AbsolutePath[] {
  const first = resolvePath(state, "trash") ?? state;
  const second = besideWorkspace(state, workspace);
  return second === undefined ? [first] : [first, second];
}

function besideWorkspace(state: AbsolutePath, workspace: AbsolutePath): AbsolutePath | undefined {
  try {
    const real = parseAbsolutePath(realpathSync(workspace));
    if (real === undefined || statSync(real).dev === statSync(state).dev) return undefined;
    // Nobody expects anything new in the root folder.
    const places = [topOf(real), parentOf(real)].filter((place) => place !== "/" && !isInside(real, place));
    for (const place of places) {
      const folder = statSync(place).dev === statSync(real).dev ? privateFolder(place) : undefined;
      if (folder !== undefined) return folder;
    }
    return undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where it cannot be made, or somebody else made it for us, or a link. */
function privateFolder(place: AbsolutePath): AbsolutePath | undefined {
  const { uid } = userInfo();
  const folder = resolvePath(place, `.sallyport-trash-${uid}`);
  if (folder === undefined) return undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stats = lstatSync(folder);
    return stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0 ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The highest folder on the same file system. */
function topOf(folder: AbsolutePath): AbsolutePath {
  const { dev } = statSync(folder);
  let top = folder;
  while (top !== "/" && statSync(parentOf(top)).dev === dev) top = parentOf(top);
  return top;
}
