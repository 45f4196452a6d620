import { lchown, rename, symlink, unlink } from "node:fs/promises";
import { type AbsolutePath, baseName, parentOf } from "../../model/absolute-path.ts";
import type { SessionId } from "../../model/ids.ts";
import { Problem } from "../../model/problem.ts";
import { assertUnmoved, entryPath, type JudgedPath } from "../judged-path.ts";
import { openParent } from "../open-parent.ts";
import { ownerFor } from "../owner.ts";
import { readFile } from "../read-file.ts";
import { systemProblem } from "../system-problem.ts";
import type { TempJournal } from "../temp-journal.ts";
import { writeFile } from "../write-file.ts";
import { type ArchiveEntry, hostileEntry } from "./read-head.ts";

/** Where an entry goes, and how. */
export interface EntryPlace {
  readonly path: AbsolutePath;
  readonly name: string;
  /** For a copy: where its content is. */
  readonly source: AbsolutePath | undefined;
  readonly session: SessionId;
  readonly overwrite: boolean;
  readonly journal: TempJournal;
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
}

/** What became of an entry. */
export type EntryOutcome =
  | { readonly kind: "files" | "folders" | "links"; readonly bytes: number }
  | { readonly kind: "left out"; readonly reason: string };

/**
 * Unpacks one entry, whole or not at all.
 * @throws Problem that names the entry: `invalid_argument` where its path leads through a link or its content is not what it says, `resource_exhausted`, `cancelled` …
 */
export async function unpackEntry(
  entry: ArchiveEntry,
  place: EntryPlace,
  content: AsyncIterable<Uint8Array>,
): Promise<EntryOutcome> {
  try {
    switch (entry.kind) {
      case "folder":
        await (await openParent(place.path, true)).close();
        return { kind: "folders", bytes: 0 };
      case "symlink":
        await makeLink(entry.target, place);
        return { kind: "links", bytes: 0 };
      case "file":
        return await makeFile(place, entry.mode === 0 ? 0o644 : entry.mode, content, entry.size);
      case "copy":
        return await copyFile(place);
      default:
        throw new Error("unhandled entry");
    }
  } catch (error) {
    return leftOut(systemProblem(error, place.path), place.name);
  }
}

/** What the folder or the file system has against it leaves it out; what is wrong with the archive, and what would be wrong with every entry, ends it. */
function leftOut(problem: Problem, name: string): EntryOutcome {
  switch (problem.code) {
    case "already_exists":
    case "failed_precondition":
    case "permission_denied":
      return { kind: "left out", reason: problem.message };
    case "aborted":
      throw hostileEntry(name, "its path leads through a link, or changed meanwhile");
    case "cancelled":
      throw problem;
    default:
      throw new Problem(problem.code, `data: entry ${JSON.stringify(name)}: ${problem.message}`, {
        field: "data",
        cause: problem,
      });
  }
}

async function makeFile(
  { path, session, overwrite, journal, maxFileBytes, signal }: EntryPlace,
  mode: number,
  content: AsyncIterable<Uint8Array>,
  size: number,
): Promise<EntryOutcome> {
  if (size > maxFileBytes)
    throw new Problem("resource_exhausted", `larger than ${maxFileBytes} bytes`, { field: "data" });
  const { bytes } = await writeFile(
    { kind: "write", path, session, disposition: overwrite ? "overwrite" : "create", makeParents: true, mode },
    content,
    { journal, maxBytes: size, signal, durable: false },
  );
  if (bytes !== size) throw new Problem("data_loss", "the archive ends in the middle of it", { field: "data" });
  return { kind: "files", bytes };
}

async function copyFile(place: EntryPlace): Promise<EntryOutcome> {
  const { source, session, maxFileBytes, signal } = place;
  if (source === undefined) throw hostileEntry(place.name, "a hard link to nothing");
  const reading = await readFile({ kind: "read", path: source, offset: 0, length: 0, session }, maxFileBytes, signal);
  return makeFile(place, reading.info.mode & 0o777, reading.chunks, reading.info.size);
}

/** Makes a link under its name, or under a temporary one that takes the place of what is there. */
async function makeLink(target: string, { path, overwrite, journal }: EntryPlace): Promise<void> {
  const parent = await openParent(parentOf(path), true);
  try {
    if (overwrite) await replaceByLink(target, parent.folder, path, journal);
    else await placeLink(target, parent.folder, baseName(path));
  } finally {
    await parent.close();
  }
}

async function placeLink(target: string, folder: JudgedPath, name: string): Promise<void> {
  const way = entryPath(folder, name);
  assertUnmoved(folder);
  await symlink(target, way);
  const owner = ownerFor(folder.stats);
  if (owner !== undefined) await lchown(way, owner.uid, owner.gid);
}

async function replaceByLink(
  target: string,
  folder: JudgedPath,
  path: AbsolutePath,
  journal: TempJournal,
): Promise<void> {
  const note = await journal.note(folder.path);
  try {
    await placeLink(target, folder, note.name);
    assertUnmoved(folder);
    await rename(entryPath(folder, note.name), entryPath(folder, baseName(path)));
  } finally {
    await unlink(entryPath(folder, note.name)).catch(() => undefined);
    await note.forget();
  }
}
