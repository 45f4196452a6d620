import { setImmediate } from "node:timers/promises";
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
 * Every wanted record with a `seq` above `after`, then each new one as it is written, until the signal aborts. A slow reader costs nothing: records are read when asked
 * for, none is held.
 */
export async function* follow(
  log: RecordLog,
  bell: Bell,
  wanted: (record: AuditRecord) => boolean,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<AuditRecord> {
  let seen = after;
  while (!signal.aborted) {
    const records = log.after(seen, batch);
    for (const record of records) {
      seen = record.seq;
      if (wanted(record)) yield record;
      if (signal.aborted) return;
    }
    // Nothing runs between the look and the wait, so no ring is missed. Where much is left out, others run between batches.
    if (records.length === 0) await bell.heard(signal);
    else await setImmediate();
  }
}
