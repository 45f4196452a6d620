import { exhausted } from "../../model/exhausted.ts";
import { Problem } from "../../model/problem.ts";
import { applyPatchText } from "./apply-patch-text.ts";
import type { FileEdit, Replacement } from "./file-edit.ts";

/**
 * The text after an edit: all of it, or nothing.
 * @throws Problem `failed_precondition` where the text is not what the edit says, `invalid_argument` for a patch that is none, `resource_exhausted` past `maxLength` UTF-16 units
 *   or where a patch takes too long to place.
 */
export function applyEdit(text: string, edit: FileEdit, maxLength: number): string {
  switch (edit.kind) {
    case "replacements":
      return edit.list.reduce(
        (now, replacement, at) => replace(now, replacement, `replacements[${at}]`, maxLength),
        text,
      );
    case "patch":
      return applyPatchText(text, edit.text, edit.fuzz);
    default:
      return exhausted(edit);
  }
}

function replace(text: string, { oldText, newText, count }: Replacement, field: string, maxLength: number): string {
  const found = occurrences(text, oldText);
  if (found !== count)
    throw new Problem(
      "failed_precondition",
      `${field}.old_text: it is there ${times(found)}, and ${times(count)} was expected`,
      { field: `${field}.old_text` },
    );
  // Known before it is made: a short text may stand for a very long one very often.
  if (text.length + count * (newText.length - oldText.length) > maxLength)
    throw new Problem("resource_exhausted", `${field}.new_text: the file would be too large to be edited`, {
      field: `${field}.new_text`,
    });
  return text.split(oldText).join(newText);
}

function occurrences(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) count += 1;
  return count;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
