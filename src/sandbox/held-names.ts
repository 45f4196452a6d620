import { constants } from "node:fs";
import { appendFile, lstat, mkdir, open, readFile, readlink, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type AbsolutePath, baseName, parentOf, parseAbsolutePath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";

/** The names that one sandbox keeps taken. */
export interface Holds {
  /**
   * Makes an empty folder where nothing is, so that a mount can keep commands from putting something there. Resolves with false where something is there already, or
   * where there is no folder to put it in.
   */
  hold(path: AbsolutePath): Promise<boolean>;
  /** Lets go of all; a folder that nobody else holds and that is still empty goes away. */
  release(): Promise<void>;
}

/**
 * Empty folders on this machine that keep guarded names taken, for all sandboxes of a Sallyport. A folder, because it can be removed without a risk: rmdir(2)
 * takes only what is empty. And because git does not see it.
 */
export class HeldNames {
  readonly #journal: string;
  readonly #holders = new Map<AbsolutePath, number>();
  /** One at a time: what one sandbox lets go of another may just be taking. */
  #turn: Promise<unknown> = Promise.resolve();

  /** `journal`: a file that tells the next start what this one made. */
  constructor(journal: string) {
    this.#journal = journal;
  }

  /** For one sandbox. */
  begin(): Holds {
    const mine = new Set<AbsolutePath>();
    return {
      hold: (path) =>
        this.#inTurn(async () => {
          if (mine.has(path)) return true;
          if (!(await this.#make(path)) && !this.#holders.has(path)) return false;
          mine.add(path);
          this.#holders.set(path, (this.#holders.get(path) ?? 0) + 1);
          return true;
        }),
      release: () =>
        this.#inTurn(async () => {
          for (const path of mine) await this.#letGo(path);
          mine.clear();
        }),
    };
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #make(path: AbsolutePath): Promise<boolean> {
    if (await isTaken(path)) return false;
    // First the note: a folder that nobody knows of would stay for ever.
    await mkdir(dirname(this.#journal), { recursive: true, mode: 0o700 });
    await appendFile(this.#journal, `${JSON.stringify(path)}\n`, { mode: 0o600 });
    return makeEmpty(path);
  }

  async #letGo(path: AbsolutePath): Promise<void> {
    const left = (this.#holders.get(path) ?? 1) - 1;
    if (left > 0) {
      this.#holders.set(path, left);
      return;
    }
    this.#holders.delete(path);
    await removeEmpty(path);
  }
}

async function isTaken(path: AbsolutePath): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Removes what an earlier start noted in its journal and did not remove. What is not empty, or no folder, stays. */
export async function removeHeld(journal: string): Promise<void> {
  const text = await readFile(journal, "utf8").catch(() => "");
  for (const line of text.split("\n")) {
    const path = readLine(line);
    if (path !== undefined) await removeEmpty(path);
  }
}

/** A line that was cut off by a crash names nothing. */
function readLine(line: string): AbsolutePath | undefined {
  try {
    const found: unknown = JSON.parse(line);
    return typeof found === "string" ? parseAbsolutePath(found) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes the folder through its parent, which is held open: a link that a command puts on the way leads nowhere. It belongs to whom the parent belongs to. Resolves
 * with false where something is there by now, or where nobody can put anything. @throws Problem where only this Sallyport cannot.
 */
async function makeEmpty(path: AbsolutePath): Promise<boolean> {
  try {
    return await inParent(path, async (entry, owner) => {
      await mkdir(entry, { mode: 0o755 });
      const made = await open(entry, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      try {
        if (process.getuid?.() === 0) await made.chown(owner.uid, owner.gid);
      } finally {
        await made.close();
      }
    });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "EEXIST" || code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "EROFS")
      return false;
    throw new Problem("failed_precondition", `${path}: its name cannot be kept from commands`, { cause });
  }
}

/** What is not empty, or not there, needs nothing. */
async function removeEmpty(path: AbsolutePath): Promise<void> {
  await inParent(path, (entry) => rmdir(entry)).catch(() => {});
}

async function inParent(
  path: AbsolutePath,
  act: (entry: string, owner: { readonly uid: number; readonly gid: number }) => Promise<void>,
): Promise<boolean> {
  const parent = parentOf(path);
  const handle = await open(parent, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const way = `/proc/self/fd/${handle.fd}`;
    if ((await readlink(way)) !== parent) return false;
    await act(`${way}/${baseName(path)}`, await handle.stat());
    return true;
  } finally {
    await handle.close();
  }
}
