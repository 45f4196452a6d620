import { Problem } from "../../model/problem.ts";
import type { Trash } from "./trash.ts";
import type { Trashed } from "./trashed.ts";

/**
 * Several folders as one trash: an entry goes to the one on its own file system, otherwise to the first. One that fails keeps the others from nothing but what it holds itself.
 * @throws RangeError where there is none.
 */
export function trashSet(all: readonly Trash[]): Trash {
  const [first] = all;
  if (first === undefined) throw new RangeError("there must be a trash");
  const fallback: Trash = first;

  /** The rest of them where one of them fails, and its failure where all do. */
  async function each<T>(work: (trash: Trash) => Promise<T>): Promise<readonly T[]> {
    const results = await Promise.allSettled(all.map(work));
    const failed = results.find((result) => result.status === "rejected");
    const found = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    if (found.length === 0 && failed !== undefined) throw failed.reason;
    return found;
  }

  async function nearTo(dev: bigint): Promise<Trash> {
    for (const trash of all) if ((await trash.device().catch(() => undefined)) === dev) return trash;
    return fallback;
  }

  return {
    expiry: (trashed) => first.expiry(trashed),
    device: () => first.device(),
    list: async () => (await each((trash) => trash.list())).flat().sort(byRemoval),
    put: async (from, entry, about, parts) => (await nearTo(entry.stats.dev)).put(from, entry, about, parts),
    async restore(id, to, look, parts) {
      for (const trash of all)
        if ((await trash.list()).some((held) => held.id === id)) return trash.restore(id, to, look, parts);
      throw new Problem("not_found", "trash_id: the trash holds no such entry", { field: "trash_id" });
    },
    empty: async (ids) => (await each((trash) => trash.empty(ids))).flat(),
    purge: async () => (await each((trash) => trash.purge())).reduce((sum, count) => sum + count, 0),
  };
}

function byRemoval(a: Trashed, b: Trashed): number {
  return b.removedAt.getTime() - a.removedAt.getTime();
}
