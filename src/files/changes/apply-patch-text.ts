import { applyPatch, parsePatch, type StructuredPatch } from "diff";
import { invalid, Problem } from "../../model/problem.ts";

/** Lines compared for one patch at most: some tenths of a second. A line of 64 units counts as two. */
const mostCompared = 20_000_000;
const mostHunks = 1000;

/**
 * The text after a unified diff of one file. Lines that it takes away or shows must be there; where they have moved, the nearest place is taken.
 * @throws Problem `invalid_argument` naming `patch`, `failed_precondition` where it does not fit, `resource_exhausted`.
 */
export function applyPatchText(text: string, patchText: string, fuzz: number): string {
  const patch = parse(patchText);
  // Without context nothing says where a line belongs: a wrong number would put it anywhere.
  if (text !== "" && patch.hunks.some(({ oldLines }) => oldLines === 0))
    throw invalid("patch", "has a part without any line of context");
  let compared = 0;
  const patched = applyPatch(text, withinText(patch, text), {
    fuzzFactor: fuzz,
    compareLine(_number, line: string | undefined, _operation, wanted) {
      // A part that is looked for where the one before was found may begin behind the end.
      if (line === undefined) return false;
      // Long lines take longer.
      compared += line.length === wanted.length ? 1 + line.length / 64 : 1;
      if (compared > mostCompared)
        throw new Problem("resource_exhausted", "patch: finding its place takes too long; say more context", {
          field: "patch",
        });
      return line === wanted;
    },
  });
  if (patched === false)
    throw new Problem("failed_precondition", "patch: it does not fit: the lines that it names are not there", {
      field: "patch",
    });
  return patched;
}

function parse(text: string): StructuredPatch {
  const [patch, ...more] = parsed(text);
  if (patch === undefined || patch.hunks.length === 0) throw invalid("patch", "holds no change");
  if (more.length > 0) throw invalid("patch", "names more than one file");
  if (patch.hunks.length > mostHunks) throw invalid("patch", `has more than ${mostHunks} parts`);
  if (
    patch.hunks.some(({ oldStart, oldLines, newStart, newLines }) =>
      [oldStart, oldLines, newStart, newLines].some(Number.isNaN),
    )
  )
    throw invalid("patch", "has a part without its line numbers");
  if ([patch.oldFileName, patch.newFileName].includes("/dev/null"))
    throw invalid("patch", "makes or removes a file, which is no edit");
  return patch;
}

/** jsdiff looks at the line that a part names even where the text has no such line; from its end the nearest place is looked for as from everywhere. */
function withinText(patch: StructuredPatch, text: string): StructuredPatch {
  const lines = text.split("\n").length;
  const within = (line: number): number => Math.min(line, lines);
  return { ...patch, hunks: patch.hunks.map((hunk) => ({ ...hunk, oldStart: within(hunk.oldStart) })) };
}

function parsed(text: string): readonly StructuredPatch[] {
  try {
    return parsePatch(text);
  } catch (cause) {
    throw invalid("patch", `is no unified diff: ${cause instanceof Error ? cause.message : "unreadable"}`);
  }
}
