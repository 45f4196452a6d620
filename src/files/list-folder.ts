import type { ListAction } from "../model/action.ts";
import type { EntryVerdict } from "../model/gate-ports.ts";
import { Problem } from "../model/problem.ts";
import type { FileInfo } from "./file-info.ts";
import { compareKeys, decodeCursor, encodeCursor, keyOf, type ListKey } from "./list-cursor.ts";
import { describeEntries } from "./walk/describe-entries.ts";
import { walkFolder, type WalkEntry, type WalkOptions } from "./walk/walk-folder.ts";

/** Entries that are sorted by anything but their names, which all must be known and described first. */
const maxSorted = 100_000;

/** A page of what lies in a folder. */
export interface FolderListing {
  /** In the order that was asked for, by their paths below the folder. */
  readonly entries: readonly FileInfo[];
  /** True where there are more. */
  readonly truncated: boolean;
  /** Where a page ends that ends with this one of its entries; undefined: the whole page. */
  readonly cursorAfter: (last: FileInfo | undefined) => string;
}

/**
 * Lists a folder. Links are named, not followed; what may not be read is not named. An entry that vanishes meanwhile is left out.
 * @throws Problem `failed_precondition` where it is no folder, `resource_exhausted` where it holds too much, `invalid_argument` for a cursor of another list, `aborted`, `not_found` …
 */
export async function listFolder(
  action: ListAction,
  verdict: EntryVerdict,
  signal: AbortSignal,
): Promise<FolderListing> {
  const { path: root, limit, depth = 1, honorIgnoreFiles = false, order = { by: "name", descending: false } } = action;
  const after = decodeCursor(action);
  const options: WalkOptions = { root, verdict, honorIgnoreFiles, depth, signal };
  const cursorAfter =
    (end: ListKey) =>
    (last: FileInfo | undefined): string =>
      encodeCursor(action, last === undefined ? end : keyOf(order.by, last));
  if (order.by === "name" && !order.descending) {
    const from = after === undefined ? options : { ...options, after: after.name.split("/") };
    const found = await collect(from, limit + 1);
    const page = found.slice(0, limit);
    const end = { name: page.at(-1)?.components.join("/") ?? "", value: "" };
    return {
      entries: await describeEntries(page),
      truncated: found.length > limit,
      cursorAfter: cursorAfter(end),
    };
  }
  const found = await collect(options, maxSorted + 1);
  if (found.length > maxSorted)
    throw new Problem("resource_exhausted", `${root}: more than ${maxSorted} entries to sort; list them by name`, {
      field: "path",
    });
  const sign = order.descending ? -1 : 1;
  const sorted = (await describeEntries(found))
    .map((info) => ({ info, key: keyOf(order.by, info) }))
    .filter(({ key }) => after === undefined || sign * compareKeys(order.by, key, after) > 0)
    .sort((a, b) => sign * compareKeys(order.by, a.key, b.key));
  const page = sorted.slice(0, limit);
  const end = page.at(-1)?.key ?? { name: "", value: "" };
  return {
    entries: page.map(({ info }) => info),
    truncated: sorted.length > limit,
    cursorAfter: cursorAfter(end),
  };
}

async function collect(options: WalkOptions, most: number): Promise<WalkEntry[]> {
  const found: WalkEntry[] = [];
  for await (const entry of walkFolder(options)) {
    found.push(entry);
    if (found.length === most) break;
  }
  return found;
}
