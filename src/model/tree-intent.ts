import type { AbsolutePath } from "./absolute-path.ts";

/** Requests that go through a folder with everything below it. The folder is judged as a whole, and each entry again by the actor. */
export type TreeIntent = SearchIntent | WatchIntent | UploadIntent | DownloadIntent;

/** Search the content or the names of the files below a folder. */
export interface SearchIntent {
  readonly kind: "search";
  readonly path: AbsolutePath;
  /** Regular expression for content; empty: names only. */
  readonly pattern: string;
  /** Glob for names; empty: every name. */
  readonly glob: string;
  /** Hits at most. */
  readonly limit: number;
  readonly ignoreCase: boolean;
  /** True takes the pattern for the text itself. */
  readonly literal: boolean;
  readonly includeHidden: boolean;
  readonly includeIgnored: boolean;
  /** Lines shown around each hit. */
  readonly contextLines: number;
}

/** Follow changes below a folder. */
export interface WatchIntent {
  readonly kind: "watch";
  readonly path: AbsolutePath;
  readonly includeIgnored: boolean;
}

/** Unpack an archive into a folder. */
export interface UploadIntent {
  readonly kind: "upload";
  readonly path: AbsolutePath;
  /** False: entries whose file exists are left out. */
  readonly overwrite: boolean;
  readonly makeParents: boolean;
}

/** Pack a folder into an archive. */
export interface DownloadIntent {
  readonly kind: "download";
  readonly path: AbsolutePath;
  readonly honorIgnoreFiles: boolean;
}
