import type { SearchAction } from "../../model/action.ts";
import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Below } from "../../model/gate-ports.ts";
import type { Permit } from "../../model/permit.ts";

/** Something that a search found. */
export interface SearchHit {
  readonly path: AbsolutePath;
  /** From 1; 0 for a hit on the name. */
  readonly line: number;
  readonly offset: number;
  /** The line without its end. */
  readonly text: Uint8Array;
  readonly cut: boolean;
  readonly spans: readonly { readonly start: number; readonly end: number }[];
  readonly context: boolean;
}

/** A search that goes on. */
export interface Searching {
  readonly hits: AsyncIterable<SearchHit>;
  /** Known once `hits` ended. */
  readonly end: () => "complete" | "limit" | "time" | "size";
}

/** Work on a folder with everything below it; `below` says what may be touched there, entry by entry. All throw Problem, also while it goes on. */
export interface Trees {
  search(permit: Permit<SearchAction>, below: Below, signal: AbortSignal): Searching;
}
