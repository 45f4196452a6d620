import type { BigIntStats } from "node:fs";

/** Who owns a file, as numbers. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Whose a new entry of this folder must be. Undefined where it is right already: only root makes files that are not its caller's. */
export function ownerFor(folder: BigIntStats): Owner | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  return { uid: Number(folder.uid), gid: Number(folder.gid) };
}
