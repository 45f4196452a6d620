import type { AbsolutePath } from "../../model/absolute-path.ts";

/** Paths that are kept until somebody looks; with more, changes count as lost. */
const maxPaths = 4096;

/** Paths to which something happened, each once. */
export class Changes {
  #paths = new Set<AbsolutePath>();
  #lost = false;
  #wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return !this.#lost && this.#paths.size === 0;
  }

  add(path: AbsolutePath): void {
    if (this.#lost) return;
    if (this.#paths.size >= maxPaths) this.lose();
    else this.#paths.add(path);
    this.#wake?.();
  }

  /** Something happened that nobody can name. */
  lose(): void {
    this.#lost = true;
    this.#paths.clear();
    this.#wake?.();
  }

  /** Takes what there is. */
  take(): { readonly lost: boolean; readonly paths: readonly AbsolutePath[] } {
    const taken = { lost: this.#lost, paths: [...this.#paths] };
    this.#lost = false;
    this.#paths.clear();
    return taken;
  }

  /** Resolves when there is something, after `ms` milliseconds, or when the signal aborts. */
  async some(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.isEmpty || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done, { once: true });
      this.#wake = done;
    });
  }
}
