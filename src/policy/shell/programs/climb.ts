import { type AbsolutePath, parentOf, parseAbsolutePath, rootPath } from "../../../model/absolute-path.ts";
import { escapeGlob } from "./words.ts";

const climbs = /(?:^|\/)\.\.(?:\/|$)/;

/**
 * Takes `..` out of an absolute path as the kernel does: what stands before it is followed first, so `link/../x` lies beside the link's target and not
 * beside the link (path_resolution(7)). `pattern`: the path is one, with its literal wildcards escaped. Undefined where nobody can tell.
 */
export function climb(
  path: string,
  pattern: boolean,
  real: (path: AbsolutePath) => AbsolutePath | undefined,
): string | undefined {
  if (!climbs.test(path)) return path;
  const parts = path.split("/");
  const last = parts.lastIndexOf("..");
  let at: AbsolutePath = rootPath;
  for (const part of parts.slice(0, last + 1)) {
    if (part === "" || part === ".") continue;
    // What a wildcard stands for may be a link to anywhere.
    if (pattern && /(?<!\\)[*?[]/.test(part)) return undefined;
    const next = part === ".." ? real(at) : parseAbsolutePath(`${at}/${pattern ? part.replace(/\\(.)/g, "$1") : part}`);
    if (next === undefined) return undefined;
    at = part === ".." ? parentOf(next) : next;
  }
  return [pattern ? escapeGlob(at) : at, ...parts.slice(last + 1)].join("/");
}
