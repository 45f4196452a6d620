import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { EditAction } from "../../model/action.ts";
import { Problem } from "../../model/problem.ts";
import { infoOf, type FileInfo } from "../file-info.ts";
import { descriptorPath, openJudged, type JudgedPath } from "../judged-path.ts";
import { systemProblem } from "../system-problem.ts";
import { writeFile } from "../write-file.ts";
import { applyEdit } from "./apply-edit.ts";
import type { ChangeParts } from "./change-parts.ts";
import type { FileEdit } from "./file-edit.ts";
import { unifiedDiff, type BoundedDiff } from "./unified-diff.ts";

/** Bytes of a file that is edited: it is held in memory some times over. */
const maxEditBytes = 8 * 1024 * 1024;
/** Bytes of the diff that an edit gives back. */
const maxDiffBytes = 1024 * 1024;

/** A finished edit. */
export interface FileEdited {
  readonly info: FileInfo;
  readonly diff: BoundedDiff;
  /** Bytes written. */
  readonly bytes: number;
}

/** What an edit would do to a file as it is now. */
export interface PlannedEdit {
  /** SHA-256 of the content that it was planned on, hexadecimal. */
  readonly basis: string;
  readonly before: string;
  readonly after: string;
  readonly file: FileInfo;
}

/**
 * Says what an edit would do, without doing it.
 * @throws Problem `failed_precondition` for what is no UTF-8 text or does not hold what the edit says, `resource_exhausted`, `invalid_argument`, `aborted`, `not_found` …
 */
export async function planEdit(path: AbsolutePath, edit: FileEdit, maxFileBytes: number): Promise<PlannedEdit> {
  const place = await openJudged(path);
  try {
    const limit = Math.min(maxEditBytes, maxFileBytes);
    const content = await contentOf(place, limit);
    const before = textOf(content, path);
    const after = applyEdit(before, edit, limit);
    if (Buffer.byteLength(after) > limit)
      throw new Problem("resource_exhausted", `${path}: it would have more than ${limit} bytes`, { field: "path" });
    const basis = createHash("sha256").update(content).digest("hex");
    return { basis, before, after, file: infoOf(path, place.stats) };
  } catch (error) {
    throw systemProblem(error, path);
  } finally {
    await place.handle.close();
  }
}

/**
 * Changes a text file in one atomic step; where somebody else writes it meanwhile, nothing is changed. `basis`: what a person saw it planned on, if anybody did.
 * @throws Problem as {@link planEdit}, and `aborted` where the content is not that any more.
 */
export async function editFile(
  action: EditAction,
  edit: FileEdit,
  basis: string | undefined,
  parts: ChangeParts,
): Promise<FileEdited> {
  const { path, session } = action;
  const plan = await planEdit(path, edit, parts.maxFileBytes);
  if (basis !== undefined && basis !== plan.basis)
    throw new Problem("aborted", `${path}: changed since it was shown`, { field: "path" });
  const diff = unifiedDiff(path, plan.before, plan.after, maxDiffBytes);
  if (plan.before === plan.after) return { info: plan.file, diff, bytes: 0 };
  parts.spend(Buffer.byteLength(plan.after));
  const { info, bytes } = await writeFile(
    {
      kind: "write",
      session,
      path,
      disposition: "overwrite",
      makeParents: false,
      mode: 0o644,
      ifMatch: { kind: "sha256", hex: plan.basis },
    },
    chunksOf(plan.after),
    { journal: parts.journal, maxBytes: parts.maxFileBytes, signal: parts.signal },
  );
  return { info, diff, bytes };
}

async function contentOf({ handle, stats, path }: JudgedPath, limit: number): Promise<Buffer> {
  if (!stats.isFile()) throw new Problem("failed_precondition", `${path}: it is no regular file`, { field: "path" });
  if (stats.size > limit)
    throw new Problem("resource_exhausted", `${path}: it has more than ${limit} bytes, too many to be edited`, {
      field: "path",
    });
  const file = await open(descriptorPath(handle), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const content = await file.readFile();
    if (content.length > limit)
      throw new Problem("resource_exhausted", `${path}: it grows beyond ${limit} bytes`, { field: "path" });
    return content;
  } finally {
    await file.close();
  }
}

/** A byte order mark stays. */
function textOf(content: Buffer, path: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    if (!text.includes("\0")) return text;
  } catch {
    // Said below.
  }
  throw new Problem("failed_precondition", `${path}: it is no UTF-8 text`, { field: "path" });
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, "utf8");
}
