import type { FilesServiceListRequest, ReadRequest, StatRequest, WriteStart } from "../../gen/sallyport/v1/files_pb.ts";
import type { ListIntent, ReadIntent, StatIntent, WriteIntent } from "../../model/intent.ts";
import { invalid } from "../../model/problem.ts";
import { dispositionNumbers, wordOf } from "../words.ts";
import { decodeCount, decodeWithin } from "./numbers.ts";
import { decodePath } from "./path.ts";

const maxEntries = 10_000;
const defaultEntries = 1000;
const maxMode = 0o777;
const defaultMode = 0o644;

/** Largest part of a write in bytes. */
const maxPartBytes = 1024 * 1024;

/** @throws Problem `invalid_argument`. */
export function decodeRead(request: ReadRequest): ReadIntent {
  return {
    kind: "read",
    path: decodePath("path", request.path),
    offset: decodeCount("offset", request.offset),
    length: decodeCount("length", request.length),
  };
}

/** @throws Problem `invalid_argument`. */
export function decodeWriteStart(field: string, start: WriteStart): WriteIntent {
  return {
    kind: "write",
    path: decodePath(`${field}.path`, start.path),
    disposition: wordOf(`${field}.disposition`, dispositionNumbers, start.disposition),
    makeParents: start.makeParents,
    mode: decodeWithin(`${field}.mode`, start.mode, 0, maxMode) || defaultMode,
  };
}

/** A part of a write or of standard input. @throws Problem `invalid_argument`. */
export function decodePart(field: string, data: Uint8Array): Uint8Array {
  if (data.length > maxPartBytes) throw invalid(field, `longer than ${maxPartBytes} bytes in one message`);
  return data;
}

/** @throws Problem `invalid_argument`. */
export function decodeStat(request: StatRequest): StatIntent {
  return { kind: "stat", path: decodePath("path", request.path) };
}

/** @throws Problem `invalid_argument`. */
export function decodeList(request: FilesServiceListRequest): ListIntent {
  return {
    kind: "list",
    path: decodePath("path", request.path),
    limit: decodeWithin("limit", request.limit, 0, maxEntries) || defaultEntries,
  };
}
