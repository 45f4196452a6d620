import { type AbsolutePath, isInside } from "../../model/absolute-path.ts";
import type { SearchAction } from "../../model/action.ts";
import type { NameFilter } from "../globs/search-glob.ts";

/** Places that are excluded by name at most. */
const maxExcluded = 200;

/**
 * What ripgrep is told, whose working folder is the searched one: to run no other program, to follow nothing, to read no settings, and to say what it finds as JSON.
 * `hidden` are places that may not be read: it need not look at them, but what it says of them would be dropped anyway.
 */
export function ripgrepArguments(
  action: SearchAction,
  names: NameFilter,
  hidden: readonly AbsolutePath[],
): readonly string[] {
  const { path, pattern, limit, literal, ignoreCase, includeHidden, includeIgnored, contextLines } = action;
  const excluded = hidden
    .filter((place) => place !== path && isInside(path, place) && place.isWellFormed())
    .slice(0, maxExcluded)
    .map((place) => `--glob=!${escapeGlob(place.slice(path === "/" ? 0 : path.length))}`);
  return [
    "--no-config",
    "--json",
    "--no-messages",
    "--no-follow",
    "--one-file-system",
    "--no-mmap",
    "--engine=default",
    // No guessing: what it says is compared with the bytes of the file.
    "--encoding=none",
    "--max-filesize=64M",
    "--regex-size-limit=10M",
    "--dfa-size-limit=16M",
    "--no-require-git",
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-ignore-exclude",
    `--max-count=${limit + 1}`,
    `--context=${contextLines}`,
    ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...(literal ? ["--fixed-strings"] : []),
    ...(includeHidden ? ["--hidden"] : []),
    ...(includeIgnored ? ["--no-ignore"] : ["--glob=!.git"]),
    ...excluded,
    ...(names.lastNames ?? []).map((name) => `--type-add=wanted:${name}`),
    ...(names.lastNames === undefined ? [] : ["--type=wanted"]),
    `--regexp=${pattern}`,
    "--",
    "./",
  ];
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[*?[\]{}\\!]/g, String.raw`\$&`);
}
