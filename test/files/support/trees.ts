import { expect } from "vitest";
import { createTrees, type Trees, type TreesOptions } from "../../../src/files/trees.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { SearchAction, WatchAction } from "../../../src/model/action.ts";
import type { EntryVerdict, VerdictOf } from "../../../src/model/gate-ports.ts";
import { createTempJournal } from "../../../src/files/temp-journal.ts";
import { findRipgrep } from "../../../src/files/search/find-ripgrep.ts";
import type { SearchEnd, SearchHit } from "../../../src/files/search/search-hit.ts";
import { never, permitFor, type Workspace } from "./workspace.ts";

/** Cannot be made: for what writes nothing. */
const noJournal = "/dev/null/journal" as AbsolutePath;

/** The work on folders, with the search program that npm brought. */
export async function makeTrees(change: Partial<TreesOptions> = {}): Promise<Trees> {
  return createTrees({
    ripgrep: await findRipgrep(),
    hidden: () => [],
    journal: createTempJournal(noJournal),
    maxFileBytes: 1 << 30,
    maxEntries: 100_000,
    ...change,
  });
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

/** A watch whose changes are taken one by one. */
export interface Watched {
  /** The next change as `kind path`, the path below the workspace. */
  readonly next: () => Promise<string>;
  /** Changes until one of them is this. */
  readonly until: (wanted: string) => Promise<string[]>;
  readonly stop: () => Promise<void>;
}

/** Starts a watch and waits until it is ready. `verdicts` may change meanwhile. */
export async function watchIn(
  { root }: Pick<Workspace, "root">,
  trees: Trees,
  { verdict = () => "allow", of = () => "allow" }: { verdict?: EntryVerdict; of?: VerdictOf } = {},
  more: Partial<WatchAction> = {},
): Promise<Watched> {
  const controller = new AbortController();
  const permit = permitFor<WatchAction>({ kind: "watch", path: root as AbsolutePath, includeIgnored: false, ...more });
  const changes = trees.watch(permit, () => verdict, of, controller.signal)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const step = await changes.next();
    if (step.done === true) return "end";
    const { value } = step;
    return "path" in value ? `${value.kind} ${value.path.slice(root.length + 1)}` : value.kind;
  };
  expect(await next()).toBe("ready");
  return {
    next,
    until: async (wanted) => {
      const seen: string[] = [];
      for (let got = await next(); ; got = await next()) {
        seen.push(got);
        if (got === wanted) return seen;
        if (got === "end") throw new Error(`it ended before ${wanted}: ${seen.join(", ")}`);
      }
    },
    stop: async () => {
      controller.abort();
      await changes.return?.();
    },
  };
}
