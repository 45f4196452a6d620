import type { BackgroundEvent } from "../model/background.ts";
import type { SessionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";

/** Hands every change of a session's background processes to everybody who watches it. */
export interface BackgroundWatchers {
  emit(event: BackgroundEvent): void;
  /** `present` first, then every change, until the signal aborts. @throws Problem `resource_exhausted` for a reader that falls far behind. */
  watch(session: SessionId, present: readonly BackgroundEvent[], signal: AbortSignal): AsyncGenerator<BackgroundEvent>;
}

/** Events that are held for a slow reader. */
const mostHeld = 1000;

interface Watcher {
  readonly session: SessionId;
  readonly held: BackgroundEvent[];
  wake: () => void;
}

/** Makes the list of watchers. */
export function createBackgroundWatchers(): BackgroundWatchers {
  const watchers = new Set<Watcher>();
  return {
    emit(event) {
      for (const watcher of watchers) {
        if (watcher.session !== event.process.session) continue;
        if (watcher.held.length <= mostHeld) watcher.held.push(event);
        watcher.wake();
      }
    },
    watch(session, present, signal) {
      // Joins now, not at the first read, so that nothing falls between what is present and the changes.
      const watcher: Watcher = { session, held: [...present], wake: () => undefined };
      const leave = (): void => {
        watchers.delete(watcher);
        watcher.wake();
      };
      watchers.add(watcher);
      signal.addEventListener("abort", leave, { once: true });
      if (signal.aborted) leave();
      return read(watcher, signal, leave);
    },
  };
}

async function* read(watcher: Watcher, signal: AbortSignal, leave: () => void): AsyncGenerator<BackgroundEvent> {
  try {
    while (!signal.aborted) {
      if (watcher.held.length > mostHeld)
        throw new Problem("resource_exhausted", "the reader fell too far behind: watch again");
      const event = watcher.held.shift();
      if (event !== undefined) yield event;
      else
        await new Promise<void>((resolve) => {
          watcher.wake = resolve;
        });
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}
