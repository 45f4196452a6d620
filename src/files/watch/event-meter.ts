import { readFileSync } from "node:fs";

/**
 * Tells whether the kernel may have dropped events. Its queue holds so many of them (inotify(7)), and Node does not say when it was full. But then all of them arrive in one turn of
 * the event loop: half as many in one turn count as a loss.
 */
export interface EventMeter {
  /** Counts an event. */
  readonly count: () => void;
  /** Calls `lost` whenever events may have been lost; gives the way to end that. */
  readonly onLoss: (lost: () => void) => () => void;
}

const defaultQueue = 16_384;

/** Makes a meter for all watches of a process, which share one queue. */
export function createEventMeter(queue: number = queueLength()): EventMeter {
  const listeners = new Set<() => void>();
  let inThisTurn = 0;
  return {
    count() {
      if (inThisTurn === 0) setImmediate(() => (inThisTurn = 0));
      inThisTurn += 1;
      if (inThisTurn === Math.ceil(queue / 2)) for (const lost of listeners) lost();
    },
    onLoss(lost) {
      listeners.add(lost);
      return () => listeners.delete(lost);
    },
  };
}

function queueLength(): number {
  try {
    return Number.parseInt(readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"), 10) || defaultQueue;
  } catch {
    return defaultQueue;
  }
}
