import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  appendFile,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  readlink,
  rename,
  rmdir,
  unlink,
} from "node:fs/promises";
import { dirname } from "node:path";
import { type AbsolutePath, baseName, parentOf, parseAbsolutePath } from "../model/absolute-path.ts";
import { exhausted } from "../model/exhausted.ts";
import { Problem } from "../model/problem.ts";
import type { Hold } from "../model/runtime.ts";

/** The names that one sandbox keeps taken. */
export interface Holds {
  /**
   * Takes the name where nothing is there, so that a mount can keep commands from putting something there. Resolves with false where something is there already, or
   * where there is no folder to put it in.
   */
  hold(path: AbsolutePath, hold: Hold): Promise<boolean>;
  /** Lets go of all; what nobody else holds and is still as it was made goes away. */
  release(): Promise<void>;
}

/**
 * What keeps guarded names taken on this machine, for all sandboxes of a Sallyport. Mostly empty folders, which can be removed without a risk: rmdir(2) takes only
 * what is empty. And git does not see them.
 */
export class HeldNames {
  readonly #journal: string;
  readonly #holders = new Map<AbsolutePath, { readonly hold: Hold; readonly count: number }>();
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
      hold: (path, hold) =>
        this.#inTurn(async () => {
          if (mine.has(path)) return true;
          if (!(await this.#make(path, hold)) && !this.#holders.has(path)) return false;
          mine.add(path);
          this.#holders.set(path, { hold, count: (this.#holders.get(path)?.count ?? 0) + 1 });
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

  async #make(path: AbsolutePath, hold: Hold): Promise<boolean> {
    if (await isTaken(path)) return false;
    // First the note: what nobody knows of would stay for ever.
    await mkdir(dirname(this.#journal), { recursive: true, mode: 0o700 });
    await appendFile(this.#journal, `${JSON.stringify({ path, ...hold })}\n`, { mode: 0o600 });
    return makeHeld(path, hold);
  }

  async #letGo(path: AbsolutePath): Promise<void> {
    const held = this.#holders.get(path);
    if (held === undefined) return;
    if (held.count > 1) {
      this.#holders.set(path, { ...held, count: held.count - 1 });
      return;
    }
    this.#holders.delete(path);
    await remove(path, held.hold);
  }
}

async function isTaken(path: AbsolutePath): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Removes what an earlier start noted in its journal and did not remove. What is another by now stays. */
export async function removeHeld(journal: string): Promise<void> {
  const text = await readFile(journal, "utf8").catch(() => "");
  for (const line of text.split("\n")) {
    const noted = readLine(line);
    if (noted !== undefined) await remove(noted.path, noted.hold);
  }
}

/** A line that was cut off by a crash names nothing. */
function readLine(line: string): { readonly path: AbsolutePath; readonly hold: Hold } | undefined {
  try {
    const found: unknown = JSON.parse(line);
    if (typeof found !== "object" || found === null || !("path" in found && "kind" in found)) return undefined;
    const path = typeof found.path === "string" ? parseAbsolutePath(found.path) : undefined;
    if (path === undefined) return undefined;
    if (found.kind === "folder") return { path, hold: { kind: "folder" } };
    if (found.kind !== "file" || !("content" in found) || typeof found.content !== "string") return undefined;
    return { path, hold: { kind: "file", content: found.content } };
  } catch {
    return undefined;
  }
}

/**
 * Takes the name through its parent, which is held open: a link that a command puts on the way leads nowhere. It belongs to whom the parent belongs to. Resolves
 * with false where something is there by now, or where nobody can put anything. @throws Problem where only this Sallyport cannot.
 */
async function makeHeld(path: AbsolutePath, hold: Hold): Promise<boolean> {
  try {
    return await inParent(path, async (entry, owner) => {
      const made = await makeEntry(entry, hold);
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

async function makeEntry(entry: string, hold: Hold): Promise<FileHandle> {
  switch (hold.kind) {
    case "folder":
      await mkdir(entry, { mode: 0o755 });
      return open(entry, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    case "file": {
      const made = await open(entry, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644);
      await made.writeFile(hold.content);
      return made;
    }
    default:
      return exhausted(hold);
  }
}

/** What is not as it was made, or not there, needs nothing. */
async function remove(path: AbsolutePath, hold: Hold): Promise<void> {
  const act = (entry: string): Promise<void> =>
    hold.kind === "folder" ? rmdir(entry) : removeUnchanged(entry, hold.content);
  await inParent(path, act).catch(() => {});
}

/** Looks at the file under another name: what somebody writes or puts there meanwhile is never removed. */
async function removeUnchanged(entry: string, content: string): Promise<void> {
  const aside = `${entry}.${randomBytes(6).toString("hex")}`;
  await rename(entry, aside);
  const found = await lstat(aside);
  const same =
    found.isFile() && found.size === Buffer.byteLength(content) && (await contentOf(aside, found.size)) === content;
  if (!same && found.isDirectory()) return rename(aside, entry);
  // Unlike rename(2), link(2) takes the place of nothing.
  if (!same) await link(aside, entry);
  await unlink(aside);
}

/** Waits for nobody: what was a file a moment ago may be a pipe that nobody writes to, or leased. Undefined where it cannot be read. */
async function contentOf(path: string, bytes: number): Promise<string | undefined> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(bytes + 1);
      const { bytesRead } = await handle.read(buffer, 0, bytes + 1, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
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
