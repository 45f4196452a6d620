import { isEscape } from "./path-bytes.ts";

/**
 * A POSIX path that starts with `/`, holds no NUL, no empty, `.` or `..` component and no trailing slash (except `/` itself).
 * It is normalised by its text only: symbolic links are a matter of Facts and of the actors. Bytes that are not UTF-8 are in it as path-bytes.ts says.
 */
export type AbsolutePath = string & { readonly __brand: "AbsolutePath" };

/** Longest path in UTF-8 bytes that the kernel takes, without its NUL (PATH_MAX of limits.h). */
export const maxPathBytes = 4095;

/** Parses and normalises an absolute path. `..` at the root stays at the root, as in the kernel. Undefined where it is relative, too long or holds a NUL. */
export function parseAbsolutePath(text: string): AbsolutePath | undefined {
  // One UTF-16 unit takes at most three bytes, so only long texts need counting.
  if (
    !text.startsWith("/") ||
    text.includes("\0") ||
    (text.length * 3 > maxPathBytes && utf8Length(text) > maxPathBytes)
  )
    return undefined;
  return unusual.test(text) ? normalise(text) : (text as AbsolutePath);
}

/** An empty component, `.` or `..`: what a normalised path, except the root, does not hold. */
const unusual = /\/(?:\.{0,2})(?:\/|$)/;

/** Resolves `path` against `base`: an absolute `path` stands alone. Undefined where the result is no valid path. */
export function resolvePath(base: AbsolutePath, path: string): AbsolutePath | undefined {
  return parseAbsolutePath(path.startsWith("/") ? path : `${base}/${path}`);
}

/** True where `path` is `root` or lies below it, by text. */
export function isInside(root: AbsolutePath, path: AbsolutePath): boolean {
  return root === "/" || path === root || path.startsWith(`${root}/`);
}

/** The folder that holds `path`; `/` for `/` itself. */
export function parentOf(path: AbsolutePath): AbsolutePath {
  const cut = path.lastIndexOf("/");
  return (cut <= 0 ? "/" : path.slice(0, cut)) as AbsolutePath;
}

/** The last component; empty for `/`. */
export function baseName(path: AbsolutePath): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The file system's root. */
export const rootPath = "/" as AbsolutePath;

function normalise(text: string): AbsolutePath {
  const kept: string[] = [];
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") kept.pop();
    else kept.push(part);
  }
  return `/${kept.join("/")}` as AbsolutePath;
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 || isEscape(point) ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}
