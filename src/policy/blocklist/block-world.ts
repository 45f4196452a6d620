import type { AbsolutePath } from "../../model/absolute-path.ts";

/** What the blocklist must know of the machine. */
export interface BlockWorld {
  /** Homes that are protected besides `/root` and the folders below `/home`. */
  readonly homes: readonly AbsolutePath[];
  /** Where a path really leads; undefined: that cannot be told. */
  readonly real: (path: AbsolutePath) => AbsolutePath | undefined;
}
