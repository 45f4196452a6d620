import type { AuditRecord } from "./audit-record.ts";
import type { RecordLog } from "./record-log.ts";

/** Wakes everybody who waits for the next record. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, or when the signal aborts. */
  heard(signal: AbortSignal): Promise<void>;
}

/** Makes a bell. */
export function createBell(): Bell {
  const waiting = new Set<() => void>();
  return {
    ring() {
      for (const wake of waiting) wake();
    },
    heard: (signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener("abort", wake);
        if (signal.aborted) wake();
      }),
  };
}

const batch = 200;

/**
 * Every record with a `seq` above `from`, then each new one as it is written, until the signal aborts. A slow reader costs nothing:
 * records are read when asked for, none is held.
 */
export async function* follow(
  log: RecordLog,
  bell: Bell,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<AuditRecord> {
  let seen = from;
  while (!signal.aborted) {
    const records = log.after(seen, batch);
    for (const record of records) {
      if (signal.aborted) return;
      yield record;
      seen = record.seq;
    }
    // Nothing runs between the look and the wait, so no ring is missed.
    if (records.length === 0) await bell.heard(signal);
  }
}
