import { type AbsolutePath, parentOf, parseAbsolutePath, rootPath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";
import { factsLocate } from "./locate.ts";
import { pathIn } from "./judged-path.ts";

/** `..` as a component. */
const dots = /\/\.\.(?:\/|$)/;

/**
 * Reads an absolute path and takes `..` out of it as the kernel does: the links before it are followed first, so `link/../x` lies beside the link's target (path_resolution(7)). What stands
 * behind the last `..` is left as it is spelled. Undefined where it is no absolute path.
 * @throws Problem `failed_precondition` where what stands before `..` is no folder that can be looked at; which of that it is, is not told before anybody judged it
 */
export function followDots(text: string): AbsolutePath | undefined {
  const asSpelled = parseAbsolutePath(text);
  if (asSpelled === undefined || !dots.test(text)) return asSpelled;
  const parts = text.split("/").filter((part) => part !== "" && part !== ".");
  const last = parts.lastIndexOf("..");
  let at: AbsolutePath = rootPath;
  for (const part of parts.slice(0, last + 1)) at = part === ".." ? parentOf(folderAt(at)) : pathIn(at, part);
  return parseAbsolutePath([at, ...parts.slice(last + 1)].join("/"));
}

function folderAt(path: AbsolutePath): AbsolutePath {
  let cause: unknown;
  try {
    const { real, kind } = factsLocate(path);
    if (kind === "folder") return real;
  } catch (error) {
    cause = error;
  }
  throw new Problem("failed_precondition", `nobody can tell where .. leads from ${path}`, { cause });
}
