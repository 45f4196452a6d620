import { readFileSync } from "node:fs";
import { isInside, parseAbsolutePath, type AbsolutePath } from "../../model/absolute-path.ts";
import { mounted } from "./tree-limits.ts";

/**
 * Refuses a tree in which something is mounted, or that is a mount itself: also what is bound from the same file system, which no device number tells (proc(5), mountinfo).
 * @throws Problem `failed_precondition`.
 */
export function assertNoMounts(path: AbsolutePath): void {
  for (const line of readFileSync("/proc/self/mountinfo", "utf8").split("\n")) {
    // Blanks, tabs, line ends and backslashes are written in octal.
    const text = line
      .split(" ")[4]
      ?.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    const point = text === undefined ? undefined : parseAbsolutePath(text);
    if (point !== undefined && isInside(path, point)) throw mounted(point);
  }
}
