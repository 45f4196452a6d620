import { lstat, opendir } from "node:fs/promises";
import type { ListAction } from "../model/action.ts";
import { pathOfBytes } from "../model/path-bytes.ts";
import { Problem } from "../model/problem.ts";
import { infoOf, type FileInfo } from "./file-info.ts";
import { descriptorPath, entryPath, openJudged, type JudgedPath } from "./judged-path.ts";
import { errorCode, systemProblem } from "./system-problem.ts";

/** Names that are looked at: they must all be known to be sorted. */
const maxNames = 250_000;
/** Entries that are described at a time. */
const batch = 64;

/** What lies in a folder. */
export interface FolderListing {
  /** Sorted by name in code-unit order. */
  readonly entries: readonly FileInfo[];
  /** True where there are more. */
  readonly truncated: boolean;
}

/**
 * Lists a folder, one level deep. Links are named, not followed. An entry that vanishes meanwhile is left out.
 * @throws Problem `failed_precondition` where it is no folder, `resource_exhausted` where it holds too many names, `aborted`, `not_found` …
 */
export async function listFolder({ path, limit }: ListAction): Promise<FolderListing> {
  const folder = await openJudged(path);
  try {
    if (!folder.stats.isDirectory())
      throw new Problem("failed_precondition", `${path}: it is no folder`, { field: "path" });
    const names = await namesOf(folder);
    const shown = names.slice(0, limit);
    const entries: FileInfo[] = [];
    for (let at = 0; at < shown.length; at += batch) {
      const found = await Promise.all(shown.slice(at, at + batch).map((name) => describe(folder, name)));
      entries.push(...found.filter((entry) => entry !== undefined));
    }
    return { entries, truncated: names.length > limit };
  } catch (error) {
    throw systemProblem(error, path);
  } finally {
    await folder.handle.close();
  }
}

async function namesOf(folder: JudgedPath): Promise<string[]> {
  const names: string[] = [];
  // Latin-1 keeps every byte; Node offers no byte names here.
  for await (const { name } of await opendir(descriptorPath(folder.handle), { encoding: "latin1", bufferSize: 512 })) {
    if (names.length === maxNames)
      throw new Problem("resource_exhausted", `${folder.path}: it holds more than ${maxNames} names`, {
        field: "path",
      });
    names.push(pathOfBytes(Buffer.from(name, "latin1")));
  }
  return names.sort();
}

async function describe(folder: JudgedPath, name: string): Promise<FileInfo | undefined> {
  try {
    return infoOf(name, await lstat(entryPath(folder, name), { bigint: true }));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
