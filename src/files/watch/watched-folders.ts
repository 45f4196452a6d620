import { type FSWatcher, watch } from "node:fs";
import { type AbsolutePath, isInside } from "../../model/absolute-path.ts";
import { pathOfBytes } from "../../model/path-bytes.ts";
import { Problem } from "../../model/problem.ts";
import { type JudgedNow, withJudged } from "../judged-path.ts";
import { errorCode } from "../system-problem.ts";
import { type FolderName, folderNames } from "../walk/folder-names.ts";
import type { IgnoreStack } from "../walk/ignore-stack.ts";

/** A folder that is watched. */
export interface WatchedFolder {
  readonly path: AbsolutePath;
  readonly ignore: IgnoreStack | undefined;
  readonly inode: bigint;
  readonly watcher: FSWatcher;
}

/** Room for watches, shared by all who watch: the kernel has a number of them for each user. */
export interface WatchRoom {
  left: number;
}

/** What happened in a folder: something to an entry, or undefined to the folder itself. */
export type OnEvent = (folder: AbsolutePath, name: string | undefined) => void;

/** The folders of one watch. Each is watched by its inode, through the descriptor by which it was judged. */
export class WatchedFolders {
  readonly #byPath = new Map<AbsolutePath, WatchedFolder>();
  readonly #room: WatchRoom;
  readonly #onEvent: OnEvent;

  constructor(room: WatchRoom, onEvent: OnEvent) {
    this.#room = room;
    this.#onEvent = onEvent;
  }

  get(path: AbsolutePath): WatchedFolder | undefined {
    return this.#byPath.get(path);
  }

  /**
   * Watches a folder of this file system and says what is in it: in this order, so that nothing comes between. Undefined where it is watched already, is on another file
   * system, or cannot be opened by now.
   * @throws Problem `resource_exhausted`
   */
  add(path: AbsolutePath, ignore: IgnoreStack | undefined, device?: bigint): FolderName[] | undefined {
    try {
      return withJudged(path, (place) => {
        const known = this.#byPath.get(path);
        if (known?.inode === place.stats.ino) return undefined;
        if (known !== undefined) this.drop(path);
        if (!place.stats.isDirectory() || (device !== undefined && place.stats.dev !== device)) return undefined;
        this.#watch(place, ignore);
        return folderNames(place);
      });
    } catch (error) {
      if (error instanceof Problem && error.code !== "resource_exhausted") return undefined;
      throw error;
    }
  }

  /** Stops watching a folder and those below it. */
  drop(root: AbsolutePath): void {
    for (const path of [...this.#byPath.keys()].filter((each) => isInside(root, each))) {
      this.#byPath.get(path)?.watcher.close();
      this.#byPath.delete(path);
      this.#room.left += 1;
    }
  }

  #watch({ path, stats, way }: JudgedNow, ignore: IgnoreStack | undefined): void {
    if (this.#room.left <= 0) throw tooMany(path);
    let watcher: FSWatcher;
    try {
      // With the dot at its end, what happens to the folder itself comes with the name `.`, which no entry has.
      watcher = watch(`${way}/.`, { persistent: false, encoding: "buffer" }, (event, name) => {
        const text = name === null ? "." : pathOfBytes(name);
        // Gone or moved: this watch sees nothing any more, and the next folder may get the same inode.
        if (text === "." && event === "rename") this.drop(path);
        this.#onEvent(path, text === "." ? undefined : text);
      });
    } catch (error) {
      if (errorCode(error) === "ENOSPC") throw tooMany(path);
      throw error;
    }
    watcher.on("error", () => this.#onEvent(path, undefined));
    this.#room.left -= 1;
    this.#byPath.set(path, { path, ignore, inode: stats.ino, watcher });
  }
}

function tooMany(path: AbsolutePath): Problem {
  return new Problem("resource_exhausted", `${path}: more folders than can be watched; watch a smaller one`, {
    field: "path",
  });
}
