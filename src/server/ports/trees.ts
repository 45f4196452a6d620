import type { DownloadAction, SearchAction, UploadAction, WatchAction } from "../../model/action.ts";
import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Below, VerdictOf } from "../../model/gate-ports.ts";
import type { Permit } from "../../model/permit.ts";
import type { FileInfo } from "./acting.ts";

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

/** Something that happened below a watched folder. */
export type WatchChange =
  /** From here on nothing is missed unless it is said. */
  | { readonly kind: "ready" }
  | { readonly kind: "changed"; readonly path: AbsolutePath; readonly fileKind: FileInfo["kind"] }
  | { readonly kind: "removed"; readonly path: AbsolutePath }
  /** Changes were lost. */
  | { readonly kind: "overflow" };

/** What was left out of an archive or of what was unpacked: the first ones by name, all by number. */
export interface LeftOutList {
  readonly first: readonly { readonly name: string; readonly reason: string }[];
  readonly count: number;
}

/** A folder that is being packed. */
export interface Packing {
  readonly info: FileInfo;
  /** A tar archive. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Known once `chunks` ended. */
  readonly end: () => { readonly entries: number; readonly bytes: number; readonly leftOut: LeftOutList };
}

/** What was unpacked. */
export interface Unpacked {
  readonly files: number;
  readonly folders: number;
  readonly links: number;
  /** Of the files. */
  readonly bytes: number;
  readonly leftOut: LeftOutList;
}

/** Work on a folder with everything below it; `below` says what may be touched there, entry by entry. All throw Problem, also while it goes on. */
export interface Trees {
  search(permit: Permit<SearchAction>, below: Below, signal: AbortSignal): Searching;
  /** Until the signal aborts, or until `of` says less of the folder than it did at the beginning: both are asked again and again. */
  watch(permit: Permit<WatchAction>, below: Below, of: VerdictOf, signal: AbortSignal): AsyncIterable<WatchChange>;
  download(permit: Permit<DownloadAction>, below: Below, signal: AbortSignal): Packing;
  /** Each entry appears whole or not at all. */
  upload(
    permit: Permit<UploadAction>,
    below: Below,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Unpacked>;
}
