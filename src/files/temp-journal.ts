import { randomBytes } from "node:crypto";
import { mkdir, readdir, unlink, writeFile } from "node:fs/promises";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { bytesOfPath } from "../model/path-bytes.ts";
import { pathIn } from "./judged-path.ts";
import { sweepNote } from "./sweep-note.ts";
import { errorCode, systemProblem } from "./system-problem.ts";

/** A temporary file or folder that is noted but need not exist. */
export interface NotedTemp {
  /** Name in the target's folder. */
  readonly name: string;
  /** Strikes the note; after that the sweep does not look for the file any more. */
  readonly forget: () => Promise<void>;
}

/** Notes of temporary files, kept over a crash. */
export interface TempJournal {
  /** Notes a temporary file or folder in this folder, before it is made. @throws Problem where the note cannot be written: then nothing may be made */
  note(folder: AbsolutePath): Promise<NotedTemp>;
  /**
   * Notes a move between file systems: the copy is made under the noted name in `to`, and only when it is whole the original gets the noted name in its own folder.
   * So the sweep knows what to finish and what to put back.
   * @throws Problem where the note cannot be written.
   */
  noteMove(original: AbsolutePath, from: AbsolutePath, to: AbsolutePath): Promise<NotedTemp>;
  /** Removes what a crashed sidecar left, or puts it back, and strikes the notes. Returns how many had something left. */
  sweep(): Promise<number>;
}

const id = /^[0-9a-f]{32}$/;

/** Opens the journal in a folder of its own inside Sallyport's state folder. The folder is made where it is missing. */
export function createTempJournal(state: AbsolutePath): TempJournal {
  async function write(content: (name: string) => Uint8Array): Promise<NotedTemp> {
    const key = randomBytes(16).toString("hex");
    const name = tempName(key);
    const place = `${state}/${key}`;
    try {
      await mkdir(state, { recursive: true, mode: 0o700 });
      await writeFile(place, content(name), { flag: "wx", mode: 0o600 });
    } catch (error) {
      throw systemProblem(error, place);
    }
    return { name, forget: () => removed(place) };
  }
  return {
    note: (folder) => write((name) => bytesOfPath(pathIn(folder, name))),
    noteMove: (original, from, to) =>
      write((name) =>
        Buffer.from(JSON.stringify({ original, aside: pathIn(from, name), staged: pathIn(to, name) }), "utf8"),
      ),
    sweep: async () => {
      let count = 0;
      for (const key of await notesIn(state)) {
        const found = await sweepNote(`${state}/${key}`, tempName(key));
        if (found !== "kept") await removed(`${state}/${key}`);
        if (found === "swept") count += 1;
      }
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

async function removed(place: string): Promise<void> {
  try {
    await unlink(place);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw systemProblem(error, place);
  }
}
