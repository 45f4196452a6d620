import { Problem } from "../model/problem.ts";
import type { OpenQuestion, QuestionEvent } from "./open-question.ts";

/** Hands every change to everybody who watches. */
export interface Watchers {
  emit(event: QuestionEvent): void;
  /** The open questions first, then every change, until the signal aborts. @throws Problem `resource_exhausted` for a reader that falls far behind. */
  watch(open: readonly OpenQuestion[], signal: AbortSignal): AsyncGenerator<QuestionEvent>;
}

/** Events that are held for a slow reader. */
const mostHeld = 2000;

interface Watcher {
  readonly held: QuestionEvent[];
  wake: () => void;
}

/** Makes the list of watchers. */
export function createWatchers(): Watchers {
  const watchers = new Set<Watcher>();
  return {
    emit(event) {
      for (const watcher of watchers) {
        hold(watcher.held, event);
        watcher.wake();
      }
    },
    watch(open, signal) {
      // Joins now, not at the first read, so that nothing falls between the snapshot and the changes.
      const watcher: Watcher = { held: open.map((question) => ({ kind: "opened", question })), wake: () => undefined };
      watchers.add(watcher);
      const leave = (): void => {
        watchers.delete(watcher);
        watcher.wake();
      };
      signal.addEventListener("abort", leave);
      if (signal.aborted) leave();
      return read(watcher, signal, leave);
    },
  };
}

/** A question that is told again takes the place of what a slow reader has not read of it: callers who come and go must not push a reader out. */
function hold(held: QuestionEvent[], event: QuestionEvent): void {
  const at =
    event.kind === "opened"
      ? held.findIndex((other) => other.kind === "opened" && other.question.id === event.question.id)
      : -1;
  if (at !== -1) held[at] = event;
  else if (held.length <= mostHeld) held.push(event);
}

async function* read(watcher: Watcher, signal: AbortSignal, leave: () => void): AsyncGenerator<QuestionEvent> {
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
