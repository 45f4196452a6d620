import { statSync } from "node:fs";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { wayOf } from "./judged-path.ts";
import { errorCode } from "./system-problem.ts";

/**
 * What tells a regular file from what it was: another file in its place, or a change of its content or its rights, gives another text (stat(2): no program sets
 * the time of the last change itself). Links are followed. Undefined where there is no regular file.
 */
export function fileState(path: AbsolutePath): string | undefined {
  try {
    const stats = statSync(wayOf(path), { bigint: true });
    if (!stats.isFile()) return undefined;
    return [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs].join(" ");
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : `unreadable: ${code}`;
  }
}
