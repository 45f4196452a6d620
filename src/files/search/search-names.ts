import type { SearchAction } from "../../model/action.ts";
import { parseSearchGlob } from "../globs/search-glob.ts";
import { walkFolder } from "../walk/walk-folder.ts";
import type { SearchParts } from "./search-content.ts";
import { nameHit, type SearchHit } from "./search-hit.ts";

/** Milliseconds that a search may take. */
const maxMs = 60_000;

/**
 * Searches the names below a folder, of files, folders, links and everything else, in the order of names.
 * @throws Problem `invalid_argument` for a glob that cannot be read, and what a walk throws
 */
export async function* searchNames(
  action: SearchAction,
  { verdict, signal, ended }: Pick<SearchParts, "verdict" | "signal" | "ended">,
): AsyncGenerator<SearchHit> {
  const { path: root, glob, limit, includeHidden, includeIgnored } = action;
  const names = parseSearchGlob(glob);
  const until = performance.now() + maxMs;
  const walk = walkFolder({
    root,
    verdict,
    skips: (name) => !includeHidden && name.startsWith("."),
    honorIgnoreFiles: !includeIgnored,
    depth: Number.POSITIVE_INFINITY,
    signal,
  });
  let hits = 0;
  for await (const { path, components } of walk) {
    if (performance.now() > until) {
      ended("time");
      return;
    }
    if (!names.matches(components)) continue;
    hits += 1;
    if (hits > limit) {
      ended("limit");
      return;
    }
    yield nameHit(path);
  }
  ended("complete");
}
