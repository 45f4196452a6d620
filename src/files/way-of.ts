import { bytesOfPath } from "../model/path-bytes.ts";

/** A path as node:fs takes it: its bytes where they are not UTF-8. */
export type Way = string | Buffer;

/** The way to what a path or a name says. */
export function wayOf(path: string): Way {
  return path.isWellFormed() ? path : Buffer.from(bytesOfPath(path));
}
