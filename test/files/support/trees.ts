import { createTrees, type Trees, type TreesOptions } from "../../../src/files/trees.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { SearchAction } from "../../../src/model/action.ts";
import { findRipgrep } from "../../../src/files/search/find-ripgrep.ts";
import type { SearchEnd, SearchHit } from "../../../src/files/search/search-hit.ts";
import { never, permitFor, type Workspace } from "./workspace.ts";

/** The work on folders, with the search program that npm brought. */
export async function makeTrees(change: Partial<TreesOptions> = {}): Promise<Trees> {
  return createTrees({ ripgrep: await findRipgrep(), hidden: () => [], ...change });
}

export interface Found {
  readonly hits: readonly SearchHit[];
  readonly end: SearchEnd;
}

export async function searchIn(
  { root, below }: Pick<Workspace, "root" | "below">,
  trees: Trees,
  more: Partial<SearchAction>,
  signal: AbortSignal = never,
): Promise<Found> {
  const action = {
    kind: "search" as const,
    path: root as AbsolutePath,
    pattern: "",
    glob: "",
    limit: 1000,
    ignoreCase: false,
    literal: false,
    includeHidden: false,
    includeIgnored: false,
    contextLines: 0,
    ...more,
  };
  const searching = trees.search(permitFor<SearchAction>(action), below, signal);
  const hits: SearchHit[] = [];
  for await (const hit of searching.hits) hits.push(hit);
  return { hits, end: searching.end() };
}

/** Hits as `path:line:text`, sorted; the path below the workspace. */
export function shown({ root }: Pick<Workspace, "root">, { hits }: Found): string[] {
  return hits
    .map(({ path, line, text }) => `${path.slice(root.length + 1)}:${line}:${Buffer.from(text).toString("latin1")}`)
    .toSorted();
}
