import {
  type FilesServiceListRequest,
  type ReadRequest,
  type StatRequest,
  WriteDisposition,
  type WriteStart,
} from "../../gen/sallyport/v1/files_pb.ts";
import { exhausted } from "../../model/exhausted.ts";
import type { ListIntent, ReadIntent, StatIntent, WriteIntent } from "../../model/intent.ts";
import { invalid } from "../../model/problem.ts";
import { dispositionNumbers, fileSortNumbers, wordOf, wordOr } from "../words.ts";
import { decodeCount, decodeWithin } from "./numbers.ts";
import type { ParsePath } from "../ports/acting.ts";
import { decodePlace } from "./path.ts";
import { decodeText } from "./text.ts";

const maxEntries = 10_000;
const defaultEntries = 1000;
/** More levels have no room in a path. */
const maxDepth = 2048;
/** A name of a path's length in base64, with what stands beside it. */
const maxCursorBytes = 40_960;
const maxMode = 0o777;
const defaultMode = 0o644;

/** Largest part of a write in bytes. */
const maxPartBytes = 1024 * 1024;

/** @throws Problem `invalid_argument`. */
export function decodeRead(parse: ParsePath, request: ReadRequest): ReadIntent {
  return {
    kind: "read",
    path: decodePlace(parse, "path", request.path, request.pathBytes),
    offset: decodeCount("offset", request.offset),
    length: decodeCount("length", request.length),
    ...decodeLines(request),
    ...(request.maxBytes === 0n ? {} : { maxBytes: decodeCount("max_bytes", request.maxBytes) }),
    ...(request.sha256 ? { hash: true } : {}),
  };
}

function decodeLines({ fromLine, lines, offset, length }: ReadRequest): Pick<ReadIntent, "lines"> {
  if (fromLine === 0n && lines === 0n) return {};
  if (fromLine === 0n) throw invalid("from_line", "must be set where lines is");
  if (offset !== 0n || length !== 0n) throw invalid("from_line", "not together with offset and length");
  return { lines: { from: decodeCount("from_line", fromLine), count: decodeCount("lines", lines) } };
}

/** @throws Problem `invalid_argument`. */
export function decodeWriteStart(parse: ParsePath, field: string, start: WriteStart): WriteIntent {
  return {
    kind: "write",
    path: decodePlace(parse, `${field}.path`, start.path, start.pathBytes),
    disposition: wordOf(`${field}.disposition`, dispositionNumbers, start.disposition),
    makeParents: start.makeParents,
    mode: decodeWithin(`${field}.mode`, start.mode, 0, maxMode) || defaultMode,
    ...decodeVersion(`${field}.if_match`, start),
    ...(start.sha256 ? { hash: true } : {}),
  };
}

function decodeVersion(field: string, { ifMatch, disposition }: WriteStart): Pick<WriteIntent, "ifMatch"> {
  if (ifMatch === undefined) return {};
  if (disposition === WriteDisposition.CREATE)
    throw invalid(field, "not with CREATE, which needs that nothing is there");
  const { version } = ifMatch;
  switch (version.case) {
    case "sha256":
      if (version.value.length !== 32) throw invalid(`${field}.sha256`, "must be 32 bytes");
      return { ifMatch: { kind: "sha256", hex: Buffer.from(version.value).toString("hex") } };
    case "modifiedAt":
      if (!/^-?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(version.value))
        throw invalid(`${field}.modified_at`, "must be a time as it was shown");
      return { ifMatch: { kind: "modified", at: version.value } };
    case undefined:
      throw invalid(field, "must name a version");
    default:
      return exhausted(version);
  }
}

/** A part of a write or of standard input. @throws Problem `invalid_argument`. */
export function decodePart(field: string, data: Uint8Array): Uint8Array {
  if (data.length > maxPartBytes) throw invalid(field, `longer than ${maxPartBytes} bytes in one message`);
  return data;
}

/** @throws Problem `invalid_argument`. */
export function decodeStat(parse: ParsePath, request: StatRequest): StatIntent {
  const path = decodePlace(parse, "path", request.path, request.pathBytes);
  return { kind: "stat", path, ...(request.sha256 ? { hash: true } : {}) };
}

/** @throws Problem `invalid_argument`. */
export function decodeList(parse: ParsePath, request: FilesServiceListRequest): ListIntent {
  return {
    kind: "list",
    path: decodePlace(parse, "path", request.path, request.pathBytes),
    limit: decodeWithin("limit", request.limit, 0, maxEntries) || defaultEntries,
    depth: decodeWithin("depth", request.depth, 0, maxDepth) || 1,
    honorIgnoreFiles: request.honorIgnoreFiles,
    order: { by: wordOr("sort", fileSortNumbers, request.sort, "name"), descending: request.descending },
    ...(request.cursor === "" ? {} : { cursor: decodeText("cursor", request.cursor, maxCursorBytes) }),
  };
}
