import { extract, type Extract } from "tar-stream";
import { once } from "node:events";
import { type AbsolutePath, maxPathBytes, parentOf, parseAbsolutePath } from "../../model/absolute-path.ts";
import type { EntryVerdict } from "../../model/gate-ports.ts";
import type { SessionId } from "../../model/ids.ts";
import { Problem } from "../../model/problem.ts";
import { pathIn } from "../judged-path.ts";
import { factsLocate } from "../locate.ts";
import { openParent } from "../open-parent.ts";
import type { TempJournal } from "../temp-journal.ts";
import { assertNotTooDeep } from "../tree/tree-limits.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { gatherChunks } from "./gather-chunks.ts";
import { LeftOutLog, type LeftOutList } from "./left-out.ts";
import { type ArchiveEntry, hostileEntry, readHead } from "./read-head.ts";
import { unpackEntry } from "./unpack-entry.ts";

/** What unpacking works with. */
export interface UnpackParts {
  readonly root: AbsolutePath;
  readonly session: SessionId;
  readonly overwrite: boolean;
  readonly makeParents: boolean;
  readonly verdict: EntryVerdict;
  readonly journal: TempJournal;
  readonly maxEntries: number;
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
}

/** What was unpacked. */
export interface Unpacked {
  readonly files: number;
  readonly folders: number;
  readonly links: number;
  /** Of the files. */
  readonly bytes: number;
  readonly leftOut: LeftOutList;
}

/**
 * Unpacks a tar archive into a folder. Each entry appears whole or not at all. What exists already, what may not be written and what the file system refuses is left out and named; an entry
 * that is not what it says ends it, and what came before stays.
 * @throws Problem `invalid_argument` that names the entry, `resource_exhausted`, `cancelled`, `not_found`, `aborted` …
 */
export async function unpackArchive(chunks: AsyncIterable<Uint8Array>, parts: UnpackParts): Promise<Unpacked> {
  const folder = await openParent(parts.root, parts.makeParents);
  await folder.close();
  const done = { files: 0, folders: 0, links: 0, bytes: 0 };
  const leftOut = new LeftOutLog();
  const seen = new Map<AbsolutePath, ArchiveEntry["kind"]>();
  // Latin-1 keeps every byte of a name.
  const options = { filenameEncoding: "latin1", highWaterMark: 262_144 };
  const archive = extract(options);
  const onAbort = (): void => archive.destroy(cancelled(parts.signal));
  parts.signal.addEventListener("abort", onAbort, { once: true });
  const fed = feed(chunks, archive);
  try {
    if (parts.signal.aborted) onAbort();
    for await (const entry of archive) {
      const planned = readHead(entry.header);
      if (planned !== undefined) await take(planned, contentOf(entry));
      entry.resume();
    }
    return { ...done, leftOut };
  } catch (error) {
    archive.destroy(null);
    throw parts.signal.aborted ? cancelled(parts.signal) : archiveProblem((await fed) ?? error);
  } finally {
    parts.signal.removeEventListener("abort", onAbort);
    archive.destroy(null);
  }

  async function take(planned: ArchiveEntry, content: AsyncIterable<Uint8Array>): Promise<void> {
    const name = planned.components.join("/");
    const path = pathBelow(parts.root, planned.components, name);
    const depth = planned.components.length - (planned.kind === "folder" ? 0 : 1);
    assertNotTooDeep(depth, `data: entry ${JSON.stringify(name)}`, "data");
    const before = seen.get(path);
    if (before !== undefined && (before !== "folder" || planned.kind !== "folder"))
      throw hostileEntry(name, "it is in the archive twice");
    seen.set(path, planned.kind);
    if (seen.size > parts.maxEntries)
      throw new Problem("resource_exhausted", `data: more than ${parts.maxEntries} entries`, { field: "data" });
    assertPlain(parentOf(path), name);
    const refused = refusalOf(path, parts);
    if (refused !== undefined) {
      leftOut.add(name, refused);
      return;
    }
    const source = planned.kind === "copy" ? pathBelow(parts.root, planned.source, name) : undefined;
    if (source !== undefined && seen.get(source) !== "file" && seen.get(source) !== "copy")
      throw hostileEntry(name, "a hard link to what is not in the archive before it");
    const outcome = await unpackEntry(planned, { ...parts, path, name, source }, content);
    if (outcome.kind === "left out") leftOut.add(name, outcome.reason);
    else {
      done[outcome.kind] += 1;
      done.bytes += outcome.bytes;
    }
  }
}

function pathBelow(root: AbsolutePath, components: readonly string[], name: string): AbsolutePath {
  const path = parseAbsolutePath(components.reduce<AbsolutePath>((folder, part) => pathIn(folder, part), root));
  if (path === undefined) throw hostileEntry(name, `its path is longer than ${maxPathBytes} bytes`);
  return path;
}

/** @throws Problem where the way to an entry is not what it says, so that rules were asked about other folders */
function assertPlain(folder: AbsolutePath, name: string): void {
  try {
    if (factsLocate(folder).real === folder) return;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
  throw hostileEntry(name, "its path leads through a link, or the file system spells it otherwise");
}

/** Why an entry may not be written, or a folder on the way to it; undefined where it may. */
function refusalOf(path: AbsolutePath, { root, verdict }: UnpackParts): string | undefined {
  for (let at = path; at !== root; at = parentOf(at)) {
    const found = verdict(at);
    if (found !== "allow") return found === "deny" ? "it may not be written" : "writing it needs a question of its own";
  }
  return undefined;
}

/** Writes the archive's bytes as fast as they are taken. Resolves with what their stream threw, or undefined; also where nobody takes them any more. */
async function feed(chunks: AsyncIterable<Uint8Array>, archive: Extract): Promise<unknown> {
  const iterator = chunks[Symbol.asyncIterator]();
  const over = new AbortController();
  archive.once("close", () => over.abort());
  try {
    for (;;) {
      const step = await unlessAborted(iterator.next(), over.signal);
      if (step === undefined) return undefined;
      if (step.done === true) break;
      // A copy: the library keeps what it has not handed on yet, and the chunk may be a view of something larger.
      if (!archive.write(Buffer.from(step.value))) await unlessAborted(once(archive, "drain"), over.signal);
    }
    archive.end(null);
    return undefined;
  } catch (error) {
    archive.destroy(new Error("its stream broke"));
    return error;
  } finally {
    // Not awaited: a stream that waits for its own next chunk answers only when that comes.
    iterator.return?.().then(undefined, () => undefined);
  }
}

function cancelled(signal: AbortSignal): Problem {
  return new Problem("cancelled", "the caller went away", { cause: signal.reason });
}

/** An entry's bytes. @throws Problem where the archive ends before they do */
async function* contentOf(entry: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  try {
    yield* gatherChunks(entry);
  } catch (error) {
    throw archiveProblem(error);
  }
}

/** What the library throws is about the archive. */
function archiveProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const reason = error instanceof Error ? error.message : "it cannot be read";
  return new Problem("invalid_argument", `data: no tar archive: ${reason}`, { field: "data", cause: error });
}
