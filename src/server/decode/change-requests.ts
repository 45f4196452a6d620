import { createHash } from "node:crypto";
import type {
  CopyRequest,
  EditRequest,
  MakeDirectoryRequest,
  MoveRequest,
  RemoveRequest,
} from "../../gen/sallyport/v1/files_pb.ts";
import type { CopyIntent, EditIntent, MakeDirectoryIntent, MoveIntent, RemoveIntent } from "../../model/intent.ts";
import { invalid } from "../../model/problem.ts";
import type { ParsePath } from "../ports/acting.ts";
import type { FileEdit } from "../ports/changing.ts";
import { decodeWithin } from "./numbers.ts";
import { decodePlace } from "./path.ts";
import { decodeText } from "./text.ts";

const maxReplacements = 256;
const maxTextBytes = 1024 * 1024;
const maxFuzz = 2;
const maxCount = 100_000;
const maxMode = 0o777;
const defaultMode = 0o755;

/** What is to be changed, and the intent that stands for it. @throws Problem `invalid_argument`. */
export function decodeEdit(
  parse: ParsePath,
  request: EditRequest,
): { readonly intent: EditIntent; readonly edit: FileEdit } {
  const path = decodePlace(parse, "path", request.path, request.pathBytes);
  const edit = decodeChange(request);
  const change = createHash("sha256").update(JSON.stringify(edit)).digest("hex");
  return { intent: { kind: "edit", path, change }, edit };
}

function decodeChange({ replacements, patch, fuzz }: EditRequest): FileEdit {
  if (patch !== "") {
    if (replacements.length > 0) throw invalid("patch", "not together with replacements");
    return {
      kind: "patch",
      text: decodeText("patch", patch, maxTextBytes),
      fuzz: decodeWithin("fuzz", fuzz, 0, maxFuzz),
    };
  }
  if (fuzz !== 0) throw invalid("fuzz", "only together with patch");
  if (replacements.length === 0) throw invalid("replacements", "must hold a change where patch is not set");
  if (replacements.length > maxReplacements) throw invalid("replacements", `more than ${maxReplacements}`);
  const list = replacements.map(({ oldText, newText, expectedCount }, at) => {
    const field = `replacements[${at}]`;
    if (oldText === "") throw invalid(`${field}.old_text`, "must be set");
    return {
      oldText: decodeText(`${field}.old_text`, oldText, maxTextBytes),
      newText: decodeText(`${field}.new_text`, newText, maxTextBytes),
      count: decodeWithin(`${field}.expected_count`, expectedCount, 0, maxCount) || 1,
    };
  });
  return { kind: "replacements", list };
}

/** `at` stands before the names of its fields where it is part of another request. @throws Problem `invalid_argument`. */
export function decodeMove(parse: ParsePath, request: MoveRequest, at = ""): MoveIntent {
  return {
    kind: "move",
    from: decodePlace(parse, `${at}from`, request.from, request.fromBytes),
    to: decodePlace(parse, `${at}to`, request.to, request.toBytes),
    overwrite: request.overwrite,
  };
}

/** @throws Problem `invalid_argument`. */
export function decodeCopy(parse: ParsePath, request: CopyRequest, at = ""): CopyIntent {
  return {
    kind: "copy",
    from: decodePlace(parse, `${at}from`, request.from, request.fromBytes),
    to: decodePlace(parse, `${at}to`, request.to, request.toBytes),
    overwrite: request.overwrite,
    recursive: request.recursive,
  };
}

/** @throws Problem `invalid_argument`. */
export function decodeRemove(parse: ParsePath, request: RemoveRequest, at = ""): RemoveIntent {
  return {
    kind: "remove",
    path: decodePlace(parse, `${at}path`, request.path, request.pathBytes),
    recursive: request.recursive,
  };
}

/** @throws Problem `invalid_argument`. */
export function decodeMakeDirectory(parse: ParsePath, request: MakeDirectoryRequest, at = ""): MakeDirectoryIntent {
  return {
    kind: "make-directory",
    path: decodePlace(parse, `${at}path`, request.path, request.pathBytes),
    parents: request.parents,
    mode: decodeWithin(`${at}mode`, request.mode, 0, maxMode) || defaultMode,
  };
}
