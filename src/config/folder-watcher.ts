import { type FSWatcher, watch } from "node:fs";

/** Milliseconds of silence after which a change is looked at: editors write in several steps. */
const quietMs = 100;

/** Watches folders, not files: a file that is replaced by a rename would never be heard of again. */
export class FolderWatcher {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #onChange: () => void;
  readonly #onTrouble: (folder: string, error: Error) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onChange: () => void, onTrouble: (folder: string, error: Error) => void) {
    this.#onChange = onChange;
    this.#onTrouble = onTrouble;
  }

  /** Adds a folder. One that is not there is not watched: changes in it are seen at the next reload. */
  add(folder: string): void {
    if (this.#watchers.has(folder)) return;
    let watcher: FSWatcher;
    try {
      watcher = watch(folder, { persistent: false }, () => this.#changed());
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT"))
        this.#onTrouble(folder, toError(error));
      return;
    }
    this.#watchers.set(folder, watcher);
    watcher.on("error", (error) => {
      this.#watchers.delete(folder);
      watcher.close();
      this.#onTrouble(folder, toError(error));
    });
  }

  /** Looks again after a while, as if something had changed. */
  again(): void {
    this.#changed();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onChange, quietMs);
    this.#timer.unref();
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
