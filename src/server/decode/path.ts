import { type AbsolutePath, maxPathBytes, parseAbsolutePath } from "../../model/absolute-path.ts";
import { pathOfBytes } from "../../model/path-bytes.ts";
import { invalid } from "../../model/problem.ts";
import { decodeName } from "./text.ts";

/** An absolute path. @throws Problem `invalid_argument`. */
export function decodePath(field: string, text: string): AbsolutePath {
  const path = parseAbsolutePath(decodeName(field, text, maxPathBytes));
  if (path === undefined) throw invalid(field, "must be an absolute path");
  return path;
}

/** A path as a text, or by its bytes in the field beside it where it is not UTF-8. @throws Problem `invalid_argument`. */
export function decodePlace(field: string, text: string, bytes: Uint8Array): AbsolutePath {
  if (bytes.length === 0) return decodePath(field, text);
  if (text !== "") throw invalid(`${field}_bytes`, `not together with ${field}`);
  if (bytes.length > maxPathBytes) throw invalid(`${field}_bytes`, `longer than ${maxPathBytes} bytes`);
  const path = parseAbsolutePath(pathOfBytes(bytes));
  if (path === undefined) throw invalid(`${field}_bytes`, "must be an absolute path without NUL");
  return path;
}

/** The same where an empty text stands for something else. */
export function decodePathOr<D>(field: string, text: string, unset: D): AbsolutePath | D {
  return text === "" ? unset : decodePath(field, text);
}
