import { type AbsolutePath, maxPathBytes, parseAbsolutePath } from "../../model/absolute-path.ts";
import { invalid } from "../../model/problem.ts";
import { decodeName } from "./text.ts";

/** An absolute path. @throws Problem `invalid_argument`. */
export function decodePath(field: string, text: string): AbsolutePath {
  const path = parseAbsolutePath(decodeName(field, text, maxPathBytes));
  if (path === undefined) throw invalid(field, "must be an absolute path");
  return path;
}

/** The same where an empty text stands for something else. */
export function decodePathOr<D>(field: string, text: string, unset: D): AbsolutePath | D {
  return text === "" ? unset : decodePath(field, text);
}
