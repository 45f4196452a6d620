import type { DatabaseSync } from "node:sqlite";

/** What one agent has done on the way out: `bytes` on that day (whole days since 1970, UTC), and how many requests it might make at once as of `at` (milliseconds since 1970). */
export interface EgressCount {
  readonly day: number;
  readonly bytes: number;
  readonly allowance: number;
  readonly at: number;
}

/** The counts of all agents, so that a restart forgets none. */
export interface EgressCounts {
  /** What was stored last; undefined for an agent that did nothing yet. */
  find(agent: string): EgressCount | undefined;
  /** Has a count stored within a second. The object is looked at then: it may change until that moment. */
  keep(agent: string, count: EgressCount): void;
  /** Stores what is owed now; for the end. */
  flush(): void;
}

const flushMs = 1000;

/** Prepares the counters; on disk within a second, like all counts. @throws the store's error. */
export function createEgressCounts(database: DatabaseSync): EgressCounts {
  database.exec(
    "CREATE TABLE IF NOT EXISTS egress_counts (agent TEXT PRIMARY KEY, day INTEGER NOT NULL, bytes INTEGER NOT NULL, allowance REAL NOT NULL, at INTEGER NOT NULL) STRICT",
  );
  const select = database.prepare("SELECT day, bytes, allowance, at FROM egress_counts WHERE agent = ?");
  const store = database.prepare(
    "INSERT INTO egress_counts VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (agent) DO UPDATE SET day = ?2, bytes = ?3, allowance = ?4, at = ?5",
  );
  const owed = new Map<string, EgressCount>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [agent, { day, bytes, allowance, at }] of owed) {
      try {
        store.run(agent, day, bytes, allowance, Math.round(at));
        owed.delete(agent);
      } catch {
        // A full disk: it is stored with the next.
      }
    }
  }

  return {
    find(agent) {
      const row = owed.get(agent) ?? select.get(agent);
      if (row === undefined) return undefined;
      const { day, bytes, allowance, at } = row;
      return { day: Number(day), bytes: Number(bytes), allowance: Number(allowance), at: Number(at) };
    },
    keep(agent, count) {
      owed.set(agent, count);
      timer ??= setTimeout(flush, flushMs).unref();
    },
    flush,
  };
}
