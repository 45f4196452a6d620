import type {
  DownloadRequest,
  FilesServiceWatchRequest,
  SearchRequest,
  UploadStart,
} from "../../gen/sallyport/v1/files_pb.ts";
import { invalid } from "../../model/problem.ts";
import type { DownloadIntent, SearchIntent, UploadIntent, WatchIntent } from "../../model/tree-intent.ts";
import { decodeWithin } from "./numbers.ts";
import type { ParsePath } from "../ports/acting.ts";
import { decodePlace } from "./path.ts";
import { decodeText } from "./text.ts";

const maxHits = 10_000;
const defaultHits = 1000;
const maxGlobBytes = 1024;
const maxContextLines = 20;

/** @throws Problem `invalid_argument`. */
export function decodeSearch(parse: ParsePath, request: SearchRequest): SearchIntent {
  const { pattern, glob, ignoreCase, literal, includeHidden, includeIgnored } = request;
  if (pattern === "" && glob === "") throw invalid("pattern", "or glob must be set");
  return {
    kind: "search",
    path: decodePlace(parse, "path", request.path, request.pathBytes),
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
export function decodeWatch(
  parse: ParsePath,
  { path, pathBytes, includeIgnored }: FilesServiceWatchRequest,
): WatchIntent {
  return { kind: "watch", path: decodePlace(parse, "path", path, pathBytes), includeIgnored };
}

/** @throws Problem `invalid_argument`. */
export function decodeUploadStart(parse: ParsePath, field: string, start: UploadStart): UploadIntent {
  const { overwrite, makeParents } = start;
  return {
    kind: "upload",
    path: decodePlace(parse, `${field}.path`, start.path, start.pathBytes),
    overwrite,
    makeParents,
  };
}

/** @throws Problem `invalid_argument`. */
export function decodeDownload(
  parse: ParsePath,
  { path, pathBytes, honorIgnoreFiles }: DownloadRequest,
): DownloadIntent {
  return { kind: "download", path: decodePlace(parse, "path", path, pathBytes), honorIgnoreFiles };
}
