import type { BigIntStats } from "node:fs";
import { Problem } from "../../model/problem.ts";

/** Levels of folders in one another that are walked, made or unpacked; each that is walked or made is an open descriptor. */
export const deepest = 128;

/** What bounds a walk through a tree. */
export interface TreeLimits {
  readonly maxEntries: number;
  readonly signal: AbortSignal;
}

/** `top` and `field` are what the error names. @throws Problem `resource_exhausted`. */
export function assertNotTooDeep(depth: number, top: string, field = "path"): void {
  if (depth <= deepest) return;
  throw new Problem("resource_exhausted", `${top}: more than ${deepest} folders in one another`, { field });
}

/** Before any of them is made. @throws Problem `resource_exhausted`. */
export function assertFewMissing(missing: number, path: string): void {
  if (missing <= deepest) return;
  throw new Problem("resource_exhausted", `${path}: more than ${deepest} folders on the way to it are missing`, {
    field: "path",
  });
}

/** @throws Problem `resource_exhausted`. */
export function assertNotTooMany(entries: number, { maxEntries }: TreeLimits, top: string): void {
  if (entries <= maxEntries) return;
  throw new Problem("resource_exhausted", `${top}: more than ${maxEntries} files and folders`, { field: "path" });
}

/** @throws Problem `failed_precondition` where an entry lies on another file system than the top. */
export function assertSameFileSystem(stats: BigIntStats, top: BigIntStats, path: string): void {
  if (stats.dev !== top.dev) throw mounted(path);
}

/** Something is mounted in a tree that is to be changed as a whole. */
export function mounted(path: string): Problem {
  return new Problem("failed_precondition", `${path}: another file system is mounted there`, { field: "path" });
}

/** @throws Problem `cancelled`. */
export function assertHere(signal: AbortSignal): void {
  if (signal.aborted) throw new Problem("cancelled", "the caller went away", { cause: signal.reason });
}
