import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Preview } from "../../model/gate-ports.ts";
import { planEdit } from "./edit-file.ts";
import type { FileEdit } from "./file-edit.ts";
import { previewDiff } from "./preview-diff.ts";

/** What a person is shown of an edit; `basis`: hash of the content that it was planned on, for the edit itself. @throws Problem as planEdit */
export async function previewEdit(
  path: AbsolutePath,
  edit: FileEdit,
  maxFileBytes: number,
): Promise<Preview & { readonly basis: string }> {
  const { before, after, basis } = await planEdit(path, edit, maxFileBytes);
  return { parts: previewDiff(path, before, after), key: basis, basis };
}
