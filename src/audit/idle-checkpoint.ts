import type { DatabaseSync } from "node:sqlite";

/** So long after the last record it is done. Milliseconds. */
const quietMs = 1000;

/** Records that make it worth its flushes of the disk. */
const fewRecords = 200;

/**
 * Pages of the log of writes, of 4 KiB each, after which SQLite does it at once, within the commit: where there is never a quiet second.
 * Its usual 1000 held up every four hundredth command for as long as the disk takes.
 */
const mostPages = 4000;

/** Takes the log of writes into the database where nobody waits for it. */
export interface IdleCheckpoint {
  /** Something was committed. */
  wrote(): void;
  stop(): void;
}

/** Prepares a database for it (sqlite.org/wal.html, checkpointing). @throws the store's error. */
export function idleCheckpoint(database: DatabaseSync): IdleCheckpoint {
  database.exec(`PRAGMA wal_autocheckpoint = ${mostPages}`);
  let records = 0;
  let timer: NodeJS.Timeout | undefined;
  const run = (): void => {
    timer = undefined;
    records = 0;
    try {
      database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // Nothing is lost: the records are in the log, and whatever keeps them there is told by the next commit.
    }
  };
  return {
    wrote() {
      records += 1;
      if (timer !== undefined) timer.refresh();
      else if (records >= fewRecords) timer = setTimeout(run, quietMs).unref();
    },
    stop: () => clearTimeout(timer),
  };
}
