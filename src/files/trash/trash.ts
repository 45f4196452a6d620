import { randomBytes } from "node:crypto";
import { mkdir, rename } from "node:fs/promises";
import type { AbsolutePath } from "../../model/absolute-path.ts";
import { Problem } from "../../model/problem.ts";
import { withEntry, type Place } from "../changes/place.ts";
import { relocate } from "../changes/relocate.ts";
import type { ChangeParts } from "../changes/change-parts.ts";
import { entryPath, openEntry, openJudged, type JudgedPath } from "../judged-path.ts";
import { systemProblem } from "../system-problem.ts";
import type { Source } from "../tree/copy-tree.ts";
import { removeTree } from "../tree/remove-tree.ts";
import { entryName, goneBefore, holds, openTrash, writeAbout } from "./trash-folder.ts";
import type { Trashed } from "./trashed.ts";

/** What the trash is made of. */
export interface TrashOptions {
  /** A folder of its own that nobody else sees. Made where it is missing. */
  readonly folder: AbsolutePath;
  /** Milliseconds after which an entry is deleted for good. */
  readonly retentionMs: number;
  /** Bytes that it holds at most, beside the newest entry; the oldest go first. */
  readonly maxBytes: number;
  readonly clock: () => Date;
}

/** Where removed files wait. */
export interface Trash {
  /** Number of the file system that it lies on. */
  device(): Promise<bigint>;
  /** The newest first. */
  list(): Promise<readonly Trashed[]>;
  /** Moves an entry in, whole or not at all. @throws Problem; the system's errors. */
  put(from: Place, entry: Source, about: Omit<Trashed, "id" | "removedAt">, parts: ChangeParts): Promise<Trashed>;
  /** Moves an entry out to a place where nothing is; `look` is told of it before, under the path that it came from. @throws Problem `not_found`, `already_exists` …; what `look` throws. */
  restore(id: string, to: Place, look: (entry: Source) => Promise<unknown>, parts: ChangeParts): Promise<void>;
  /** Deletes entries for good; what is not there any more is none. Returns those that went. @throws Problem where one could not be deleted, after the others */
  empty(ids: ReadonlySet<string>): Promise<readonly Trashed[]>;
  /** Deletes for good what is too old or too much. Returns how many entries went. */
  purge(): Promise<number>;
  /** When an entry is deleted at the latest. */
  expiry(trashed: Trashed): Date;
}

/** Entries that it holds at most. */
const mostEntries = 10_000;

/** Makes the trash. Nothing is looked at before it is used. */
export function createTrash({ folder, retentionMs, maxBytes, clock }: TrashOptions): Trash {
  let index: Promise<Map<string, Trashed>> | undefined;
  const expiry = ({ removedAt }: Trashed): Date => new Date(removedAt.getTime() + retentionMs);

  async function withRoot<T>(work: (root: JudgedPath) => Promise<T>): Promise<T> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw systemProblem(error, folder);
    }
    const root = await openJudged(folder);
    try {
      return await work(root);
    } finally {
      await root.handle.close();
    }
  }

  /** The place of an entry in the trash; to people it has the path that it came from. */
  async function withHolder<T>(
    root: JudgedPath,
    { id, path }: Trashed,
    work: (inside: Place) => Promise<T>,
  ): Promise<T> {
    const holder = await openEntry(root, id);
    if (holder === undefined) throw gone();
    try {
      return await work({ folder: holder, name: entryName, path });
    } finally {
      await holder.handle.close();
    }
  }

  function entries(root: JudgedPath): Promise<Map<string, Trashed>> {
    // Read once, before anything else goes on in it; a failure is not kept.
    index ??= openTrash(root).catch((error: unknown) => {
      index = undefined;
      throw error;
    });
    return index;
  }

  async function putInto(
    root: JudgedPath,
    from: Place,
    entry: Source,
    trashed: Trashed,
    parts: ChangeParts,
  ): Promise<Trashed> {
    const { id } = trashed;
    const found = await entries(root);
    await mkdir(entryPath(root, id), 0o700);
    try {
      await withHolder(root, trashed, async (inside) => {
        await writeAbout(inside.folder, trashed);
        await relocate(from, entry, inside, { overwrite: false, others: "leave out", visit: () => undefined }, parts);
      });
    } catch (error) {
      if (!(await holds(root, id))) {
        await removeTree(root.handle, id).catch(() => undefined);
        throw error;
      }
      // It did get in: only its folders could not be brought to the disk.
    }
    found.set(id, trashed);
    return trashed;
  }

  /** One that cannot be deleted keeps none of the others. */
  async function deleteAll(root: JudgedPath, isMeant: (trashed: Trashed) => boolean): Promise<readonly Trashed[]> {
    const found = await entries(root);
    const failures: unknown[] = [];
    const deleted: Trashed[] = [];
    for (const trashed of newestFirst(found).filter(isMeant)) {
      // Somebody else may have taken it meanwhile.
      if (!found.delete(trashed.id)) continue;
      try {
        // Under another name it is neither listed nor restored while it goes.
        const name = `${goneBefore}${trashed.id}`;
        await rename(entryPath(root, trashed.id), entryPath(root, name));
        await removeTree(root.handle, name);
        deleted.push(trashed);
      } catch (error) {
        failures.push(systemProblem(error, trashed.path));
      }
    }
    if (failures.length > 0) throw failures[0];
    return deleted;
  }

  async function purge(root: JudgedPath): Promise<number> {
    const now = clock();
    let bytes = 0;
    let kept = 0;
    const isTooMuch = (trashed: Trashed): boolean => {
      bytes += trashed.bytes;
      kept += 1;
      return expiry(trashed) <= now || (kept > 1 && (bytes > maxBytes || kept > mostEntries));
    };
    return (await deleteAll(root, isTooMuch)).length;
  }

  return {
    expiry,
    device: () => withRoot(({ stats }) => Promise.resolve(stats.dev)),
    list: () => withRoot(async (root) => newestFirst(await entries(root)).filter((each) => expiry(each) > clock())),
    put: (from, entry, about, parts) =>
      withRoot((root) => {
        const trashed = { ...about, id: randomBytes(16).toString("hex"), removedAt: clock() };
        return putInto(root, from, entry, trashed, parts);
      }),
    restore: (id, to, look, parts) =>
      withRoot(async (root) => {
        const found = await entries(root);
        const trashed = found.get(id);
        if (trashed === undefined || expiry(trashed) <= clock()) throw gone();
        // Taken at once, so that nobody else restores or deletes it meanwhile.
        found.delete(id);
        try {
          await withHolder(root, trashed, (inside) =>
            withEntry("trash_id", inside, async (entry) => {
              await look(entry);
              await relocate(
                inside,
                entry,
                to,
                { overwrite: false, others: "leave out", visit: () => undefined },
                parts,
              );
            }),
          );
        } catch (error) {
          if (await holds(root, id)) {
            found.set(id, trashed);
            throw error;
          }
        }
        // What stays of it is an empty folder with a note, which the next start removes.
        await removeTree(root.handle, id).catch(() => undefined);
      }),
    empty: (ids) => withRoot((root) => deleteAll(root, ({ id }) => ids.has(id))),
    purge: () => withRoot(purge),
  };
}

function newestFirst(found: ReadonlyMap<string, Trashed>): Trashed[] {
  return [...found.values()].sort((a, b) => b.removedAt.getTime() - a.removedAt.getTime());
}

function gone(): Problem {
  return new Problem("not_found", "trash_id: the trash holds no such entry", { field: "trash_id" });
}
