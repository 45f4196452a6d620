import { exhausted } from "../../model/exhausted.ts";
import { Problem } from "../../model/problem.ts";
import { applyPatchText } from "./apply-patch-text.ts";
import type { FileEdit, Replacement } from "./file-edit.ts";
import { findAll } from "./find-all.ts";

/** UTF-16 units gone through for one edit at most: some tenths of a second. */
const mostSearched = 250_000_000;
/** Places that are counted beyond those that were expected. */
const mostCounted = 1000;

/**
 * The text after an edit: all of it, or nothing.
 * @throws Problem `failed_precondition` where the text is not what the edit says, `invalid_argument` for a patch that is none, `resource_exhausted` past `maxLength` UTF-16 units
 *   or where it would take too long.
 */
export function applyEdit(text: string, edit: FileEdit, maxLength: number): string {
  switch (edit.kind) {
    case "replacements":
      return replaceAll(text, edit.list, maxLength);
    case "patch":
      return applyPatchText(text, edit.text, edit.fuzz);
    default:
      return exhausted(edit);
  }
}

function replaceAll(text: string, list: readonly Replacement[], maxLength: number): string {
  let now = text;
  let searched = 0;
  for (const [at, replacement] of list.entries()) {
    searched += now.length + replacement.oldText.length;
    if (searched > mostSearched)
      throw new Problem("resource_exhausted", "replacements: too many for a text of this size; split them", {
        field: "replacements",
      });
    now = replace(now, replacement, `replacements[${at}]`, maxLength);
  }
  return now;
}

function replace(text: string, { oldText, newText, count }: Replacement, field: string, maxLength: number): string {
  const found = findAll(text, oldText, count + mostCounted);
  if (found.length !== count)
    throw new Problem(
      "failed_precondition",
      `${field}.old_text: it is there ${times(found.length, count + mostCounted)}, and ${times(count)} was expected`,
      { field: `${field}.old_text` },
    );
  // Known before it is made: a short text may stand for a very long one very often.
  if (text.length + count * (newText.length - oldText.length) > maxLength)
    throw new Problem("resource_exhausted", `${field}.new_text: the file would be too large to be edited`, {
      field: `${field}.new_text`,
    });
  const kept = found.map((start, at) => text.slice(at === 0 ? 0 : (found[at - 1] ?? 0) + oldText.length, start));
  return [...kept, text.slice((found.at(-1) ?? 0) + oldText.length)].join(newText);
}

function times(count: number, most = Infinity): string {
  if (count === most) return `${count} times or more`;
  return count === 1 ? "once" : `${count} times`;
}
