import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, unlink, writeFile } from "node:fs/promises";
import { baseName, parentOf, parseAbsolutePath, type AbsolutePath } from "../model/absolute-path.ts";
import { bytesOfPath, pathOfBytes } from "../model/path-bytes.ts";
import { Problem } from "../model/problem.ts";
import { entryPath, openJudged, pathIn } from "./judged-path.ts";
import { errorCode, systemProblem } from "./system-problem.ts";

/** A temporary file that is noted but need not exist. */
export interface NotedTemp {
  /** Name in the target's folder. */
  readonly name: string;
  /** Strikes the note; after that the sweep does not look for the file any more. */
  readonly forget: () => Promise<void>;
}

/** Notes of temporary files, kept over a crash. */
export interface TempJournal {
  /** Notes a temporary file in this folder, before it is made. @throws Problem where the note cannot be written: then nothing may be made */
  note(folder: AbsolutePath): Promise<NotedTemp>;
  /** Removes the temporary files that a crashed sidecar left, and their notes. Returns how many files were removed. */
  sweep(): Promise<number>;
}

const id = /^[0-9a-f]{32}$/;

/** Opens the journal in a folder of its own inside Sallyport's state folder. The folder is made where it is missing. */
export function createTempJournal(state: AbsolutePath): TempJournal {
  return {
    note: async (folder) => {
      const key = randomBytes(16).toString("hex");
      const name = tempName(key);
      const place = `${state}/${key}`;
      try {
        await mkdir(state, { recursive: true, mode: 0o700 });
        await writeFile(place, bytesOfPath(pathIn(folder, name)), { flag: "wx", mode: 0o600 });
      } catch (error) {
        throw systemProblem(error, place);
      }
      return { name, forget: () => removed(place) };
    },
    sweep: async () => {
      let count = 0;
      for (const key of await notesIn(state)) if (await sweepOne(`${state}/${key}`, key)) count += 1;
      return count;
    },
  };
}

function tempName(key: string): string {
  return `.sallyport-${key}.tmp`;
}

async function notesIn(state: AbsolutePath): Promise<string[]> {
  try {
    return (await readdir(state)).filter((name) => id.test(name));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw systemProblem(error, state);
  }
}

/** Removes one noted file. The note is kept only where the file may still be there. */
async function sweepOne(place: string, key: string): Promise<boolean> {
  const path = parseAbsolutePath(pathOfBytes(await readFile(place)));
  const found = path !== undefined && baseName(path) === tempName(key) ? await removeTemp(path) : "gone";
  if (found !== "kept") await removed(place);
  return found === "removed";
}

async function removeTemp(path: AbsolutePath): Promise<"removed" | "gone" | "kept"> {
  try {
    const folder = await openJudged(parentOf(path));
    try {
      await unlink(entryPath(folder, baseName(path)));
      return "removed";
    } catch (error) {
      return errorCode(error) === "ENOENT" ? "gone" : "kept";
    } finally {
      await folder.handle.close();
    }
  } catch (error) {
    // The folder is gone or another one: nothing of ours can be found there.
    return error instanceof Problem && (error.code === "not_found" || error.code === "aborted") ? "gone" : "kept";
  }
}

async function removed(place: string): Promise<void> {
  try {
    await unlink(place);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw systemProblem(error, place);
  }
}
