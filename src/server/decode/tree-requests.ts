import type {
  DownloadRequest,
  FilesServiceWatchRequest,
  SearchRequest,
  UploadStart,
} from "../../gen/sallyport/v1/files_pb.ts";
import { invalid } from "../../model/problem.ts";
import type { DownloadIntent, SearchIntent, UploadIntent, WatchIntent } from "../../model/tree-intent.ts";
import { decodeWithin } from "./numbers.ts";
import { decodePlace } from "./path.ts";
import { decodeText } from "./text.ts";

const maxHits = 10_000;
const defaultHits = 1000;
const maxGlobBytes = 1024;
const maxContextLines = 20;

/** @throws Problem `invalid_argument`. */
export function decodeSearch(request: SearchRequest): SearchIntent {
  const { pattern, glob, ignoreCase, literal, includeHidden, includeIgnored } = request;
  if (pattern === "" && glob === "") throw invalid("pattern", "or glob must be set");
  return {
    kind: "search",
    path: decodePlace("path", request.path, request.pathBytes),
    pattern: decodeText("pattern", pattern),
    glob: decodeText("glob", glob, maxGlobBytes),
    limit: decodeWithin("limit", request.limit, 0, maxHits) || defaultHits,
    ignoreCase,
    literal,
    includeHidden,
    includeIgnored,
    contextLines: decodeWithin("context_lines", request.contextLines, 0, maxContextLines),
  };
}

/** @throws Problem `invalid_argument`. */
export function decodeWatch({ path, pathBytes, includeIgnored }: FilesServiceWatchRequest): WatchIntent {
  return { kind: "watch", path: decodePlace("path", path, pathBytes), includeIgnored };
}

/** @throws Problem `invalid_argument`. */
export function decodeUploadStart(field: string, start: UploadStart): UploadIntent {
  const { overwrite, makeParents } = start;
  return { kind: "upload", path: decodePlace(`${field}.path`, start.path, start.pathBytes), overwrite, makeParents };
}

/** @throws Problem `invalid_argument`. */
export function decodeDownload({ path, pathBytes, honorIgnoreFiles }: DownloadRequest): DownloadIntent {
  return { kind: "download", path: decodePlace("path", path, pathBytes), honorIgnoreFiles };
}
