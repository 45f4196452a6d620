import { lstatSync, readlinkSync, statfsSync, type BigIntStats } from "node:fs";
import { parentOf, parseAbsolutePath, rootPath, type AbsolutePath } from "../model/absolute-path.ts";
import type { Located } from "../model/facts.ts";
import { Problem } from "../model/problem.ts";
import { pathIn } from "./judged-path.ts";
import { storedName } from "./stored-name.ts";
import { wayOf } from "./way-of.ts";
import { changed, errorCode, systemProblem } from "./system-problem.ts";

/** Links followed at most, as in the kernel (path_resolution(7)). */
const maxLinks = 40;
/** The type of a procfs in statfs(2). */
const procfs = 0x9fa0;

/**
 * Follows the symbolic links of a path, component by component, as far as it exists; what does not exist is appended as written. For
 * `Facts.locate`.
 * @throws Problem `failed_precondition` for a loop, `permission_denied` where it cannot look or a link of a procfs is on the way: those lead
 *   into other processes, and `/proc/self` is the sidecar
 */
export function factsLocate(path: AbsolutePath): Located {
  const ahead = componentsOf(path).toReversed();
  let real: AbsolutePath = rootPath;
  let kind: Located["kind"] = "folder";
  let links = 0;
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (name === "..") {
      real = parentOf(real);
      if (kind !== "missing") kind = "folder";
      continue;
    }
    if (kind !== "folder" && !ahead.includes("..")) {
      // Nothing of it is there: appended at once, for a deep path taken apart and put together name by name costs the cube of its length in a judgement of all its folders.
      return { real: child(real, [name, ...ahead.toReversed()].join("/")), kind: "missing" };
    }
    const next: AbsolutePath = child(real, name);
    const stats: BigIntStats | undefined = kind === "folder" ? look(next) : undefined;
    if (stats?.isSymbolicLink() === true) {
      links += 1;
      if (links > maxLinks)
        throw new Problem("failed_precondition", `${path}: too many symbolic links`, { field: "path" });
      const target = targetOf(next);
      if (target.startsWith("/")) real = rootPath;
      ahead.push(...componentsOf(target).toReversed());
      continue;
    }
    real = stats === undefined ? next : child(real, spelling(real, name, stats));
    kind = stats === undefined ? "missing" : kindOf(stats);
  }
  return { real, kind };
}

function componentsOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function child(folder: AbsolutePath, name: string): AbsolutePath {
  const path = parseAbsolutePath(`${folder}/${name}`);
  if (path === undefined)
    throw new Problem("invalid_argument", `${folder}: a link makes the path too long`, { field: "path" });
  return path;
}

/** As the folder spells it, where the file system takes several spellings for one. */
function spelling(folder: AbsolutePath, name: string, stats: BigIntStats): string {
  const stored = storedName(folder, name, stats);
  if (stored === undefined)
    throw new Problem("failed_precondition", `${pathIn(folder, name)}: nobody can tell how the file system spells it`, {
      field: "path",
    });
  return stored;
}

function look(path: AbsolutePath): BigIntStats | undefined {
  try {
    return lstatSync(wayOf(path), { bigint: true });
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw systemProblem(error, path);
  }
}

function targetOf(link: AbsolutePath): string {
  try {
    if (statfsSync(wayOf(parentOf(link))).type === procfs)
      throw new Problem("permission_denied", `${link}: links of a procfs are not followed`, { field: "path" });
    const bytes = readlinkSync(wayOf(link), { encoding: "buffer" });
    const target = bytes.toString("utf8");
    if (!Buffer.from(target).equals(bytes))
      throw new Problem("invalid_argument", `${link}: its target is not UTF-8`, { field: "path" });
    return target;
  } catch (error) {
    // readlink(2): it is no link any more.
    if (errorCode(error) === "EINVAL") throw changed(link);
    throw systemProblem(error, link);
  }
}

function kindOf(stats: BigIntStats): Located["kind"] {
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "folder" : "other";
}
