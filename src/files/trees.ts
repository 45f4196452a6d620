import type { AbsolutePath } from "../model/absolute-path.ts";
import type { DownloadAction, SearchAction, UploadAction, WatchAction } from "../model/action.ts";
import type { Below, EntryVerdict, VerdictOf } from "../model/gate-ports.ts";
import type { SessionId } from "../model/ids.ts";
import { Permit } from "../model/permit.ts";
import { Problem } from "../model/problem.ts";
import { isStricter } from "../model/verdict.ts";
import { type Packing, packFolder } from "./archive/pack-folder.ts";
import { unpackArchive, type Unpacked } from "./archive/unpack-archive.ts";
import { searchContent } from "./search/search-content.ts";
import type { SearchEnd, SearchHit } from "./search/search-hit.ts";
import { searchNames } from "./search/search-names.ts";
import type { TempJournal } from "./temp-journal.ts";
import { createEventMeter } from "./watch/event-meter.ts";
import { type WatchChange, watchFolder } from "./watch/watch-folder.ts";
import type { WatchRoom } from "./watch/watched-folders.ts";

/** What the work on whole folders is made of. */
export interface TreesOptions {
  /** The search program; undefined where there is none. */
  readonly ripgrep: string | undefined;
  /** Places that a session may not read, as far as they are known by name: a search need not look there. */
  readonly hidden: (session: SessionId) => readonly AbsolutePath[];
  /** Where temporary files are noted. */
  readonly journal: TempJournal;
  /** Bytes of one file that is written. */
  readonly maxFileBytes: number;
  /** Entries of one archive. */
  readonly maxEntries: number;
  /** Bytes of the files in an archive that is sent. */
  readonly maxDownloadBytes?: number;
  /** Folders that may be watched at a time, by all together. */
  readonly maxWatched?: number;
}

/** A search that goes on. */
export interface Searching {
  readonly hits: AsyncIterable<SearchHit>;
  /** Known once `hits` ended. */
  readonly end: () => SearchEnd;
}

/** Work on a folder with everything below it. `below` says what may be touched there, entry by entry. */
export interface Trees {
  /** @throws Problem, also while it goes on */
  search(permit: Permit<SearchAction>, below: Below, signal: AbortSignal): Searching;
  /** Until the signal aborts, or until `of` says less of the folder than it did at the beginning: both are asked again and again. */
  watch(permit: Permit<WatchAction>, below: Below, of: VerdictOf, signal: AbortSignal): AsyncIterable<WatchChange>;
  /** The folder as a tar archive. */
  download(permit: Permit<DownloadAction>, below: Below, signal: AbortSignal): Packing;
  /** Unpacks a tar archive into the folder. */
  upload(
    permit: Permit<UploadAction>,
    below: Below,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Unpacked>;
}

const gibibyte = 1 << 30;

/** Makes what works on whole folders. */
export function createTrees(options: TreesOptions): Trees {
  const { ripgrep, hidden, maxWatched = 32_768, maxDownloadBytes = 16 * gibibyte } = options;
  const room: WatchRoom = { left: maxWatched };
  const meter = createEventMeter();
  return {
    download(permit, below, signal) {
      const { path: root, honorIgnoreFiles } = Permit.redeem(permit, "download");
      const { maxEntries } = options;
      const verdict = below("read", root);
      return packFolder({ root, honorIgnoreFiles, verdict, maxEntries, maxBytes: maxDownloadBytes, signal });
    },
    async upload(permit, below, chunks, signal) {
      const { path: root, ...action } = Permit.redeem(permit, "upload");
      return unpackArchive(chunks, { ...options, ...action, root, verdict: below("write", root), signal });
    },
    watch(permit, below, of, signal) {
      const { path: root, includeIgnored } = Permit.redeem(permit, "watch");
      const before = of("read", root);
      const verdict = (): EntryVerdict => {
        if (isStricter(of("read", root), before))
          throw new Problem("permission_denied", `${root}: it may not be watched any more`, { field: "path" });
        return below("read", root);
      };
      return watchFolder({ root, honorIgnoreFiles: !includeIgnored, verdict, room, meter, signal });
    },
    search(permit, below, signal) {
      const action = Permit.redeem(permit, "search");
      const verdict = below("read", action.path);
      const state: { end: SearchEnd } = { end: "complete" };
      const ended = (end: SearchEnd): void => void (state.end = end);
      const end = (): SearchEnd => state.end;
      if (action.pattern === "") return { hits: searchNames(action, { verdict, signal, ended }), end };
      if (ripgrep === undefined)
        throw new Problem(
          "failed_precondition",
          "content cannot be searched: ripgrep is not installed on this machine",
        );
      const parts = { ripgrep, verdict, hidden: hidden(action.session), signal, ended };
      return { hits: searchContent(action, parts), end };
    },
  };
}
