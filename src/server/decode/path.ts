import { type AbsolutePath, maxPathBytes, parseAbsolutePath } from "../../model/absolute-path.ts";
import { pathOfBytes } from "../../model/path-bytes.ts";
import { invalid, Problem } from "../../model/problem.ts";
import type { ParsePath } from "../ports/acting.ts";
import { decodeName } from "./text.ts";

/** An absolute path, by its text alone. @throws Problem `invalid_argument`. */
export function decodePath(field: string, text: string): AbsolutePath {
  const path = parseAbsolutePath(decodeName(field, text, maxPathBytes));
  if (path === undefined) throw invalid(field, "must be an absolute path");
  return path;
}

/** The path of a file, as a text, or by its bytes in the field beside it where it is not UTF-8. `parse` takes `..` out of it as the kernel does. @throws Problem `invalid_argument`; what `parse` throws. */
export function decodePlace(parse: ParsePath, field: string, text: string, bytes: Uint8Array): AbsolutePath {
  if (bytes.length === 0)
    return parsed(parse, field, decodeName(field, text, maxPathBytes), "must be an absolute path");
  if (text !== "") throw invalid(`${field}_bytes`, `not together with ${field}`);
  if (bytes.length > maxPathBytes) throw invalid(`${field}_bytes`, `longer than ${maxPathBytes} bytes`);
  return parsed(parse, `${field}_bytes`, pathOfBytes(bytes), "must be an absolute path without NUL");
}

function parsed(parse: ParsePath, field: string, text: string, otherwise: string): AbsolutePath {
  let path: AbsolutePath | undefined;
  try {
    path = parse(text);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.code, `${field}: ${error.message}`, { field, cause: error });
  }
  if (path === undefined) throw invalid(field, otherwise);
  return path;
}

/** The same where an empty text stands for something else. */
export function decodePathOr<D>(field: string, text: string, unset: D): AbsolutePath | D {
  return text === "" ? unset : decodePath(field, text);
}
