import { constants, type BigIntStats } from "node:fs";
import { open, readlink } from "node:fs/promises";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";

/** open(2): names a place and opens nothing. Node does not export it. */
const pathOnly = 0o10000000;

/**
 * What stat(2) says of the folder or file at a real path: of what was opened, and only where that is at this path and no link led there.
 * @throws Problem `failed_precondition`; the error of the system call
 */
export async function lookAt(path: AbsolutePath): Promise<BigIntStats> {
  const handle = await open(path, pathOnly | constants.O_NOFOLLOW);
  try {
    const [found, stats] = await Promise.all([readlink(`/proc/self/fd/${handle.fd}`), handle.stat({ bigint: true })]);
    if (found !== path || stats.isSymbolicLink())
      throw new Problem("failed_precondition", "a link leads elsewhere since it was granted");
    if (!stats.isDirectory() && !stats.isFile())
      throw new Problem("failed_precondition", "neither a folder nor a file");
    return stats;
  } finally {
    await handle.close();
  }
}
