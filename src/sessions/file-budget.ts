import type { DatabaseSync } from "node:sqlite";
import type { AgentId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";

/** How many bytes each agent may have the file service read and write in one day (UTC). */
export interface FileBudget {
  /** Bytes that are left today, 1 at least. @throws Problem `resource_exhausted` where none are. */
  left(agent: AgentId): number;
  /** Bytes of today. */
  used(agent: AgentId): number;
  /** Counts bytes, before they move. @throws Problem `resource_exhausted` where fewer are left: then they are not counted. */
  spend(agent: AgentId, bytes: number): void;
  /** Stores what is owed now; for the end. */
  flush(): void;
}

/** What a budget is made of. */
export interface FileBudgetOptions {
  readonly database: DatabaseSync;
  readonly clock: () => Date;
  readonly maxDayBytes: number;
}

interface Used {
  readonly day: string;
  readonly bytes: number;
}

const flushMs = 1000;

/** Prepares the counters; on disk within a second, like all counts. @throws the store's error. */
export function createFileBudget({ database, clock, maxDayBytes }: FileBudgetOptions): FileBudget {
  database.exec(
    "CREATE TABLE IF NOT EXISTS file_days (agent TEXT PRIMARY KEY, day TEXT NOT NULL, bytes INTEGER NOT NULL) STRICT",
  );
  const find = database.prepare("SELECT day, bytes FROM file_days WHERE agent = ?");
  const store = database.prepare(
    "INSERT INTO file_days VALUES (?1, ?2, ?3) ON CONFLICT (agent) DO UPDATE SET day = ?2, bytes = ?3",
  );
  const known = new Map<AgentId, Used>();
  const owed = new Set<AgentId>();
  let timer: NodeJS.Timeout | undefined;

  function usedToday(agent: AgentId): Used {
    const day = clock().toISOString().slice(0, 10);
    const used = known.get(agent) ?? stored(agent);
    return used?.day === day ? used : { day, bytes: 0 };
  }

  function stored(agent: AgentId): Used | undefined {
    const row = find.get(agent);
    return row === undefined ? undefined : { day: String(row["day"]), bytes: Number(row["bytes"]) };
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const agent of owed) {
      const used = known.get(agent);
      try {
        if (used !== undefined) store.run(agent, used.day, used.bytes);
        owed.delete(agent);
      } catch {
        // A full disk: it is stored with the next.
      }
    }
  }

  function exhausted(agent: AgentId): Problem {
    return new Problem("resource_exhausted", `${agent} has read and written ${maxDayBytes} bytes of files today`);
  }

  return {
    left(agent) {
      const left = maxDayBytes - usedToday(agent).bytes;
      if (left <= 0) throw exhausted(agent);
      return left;
    },
    used: (agent) => usedToday(agent).bytes,
    spend(agent, bytes) {
      const { day, bytes: before } = usedToday(agent);
      if (before + bytes > maxDayBytes) throw exhausted(agent);
      known.set(agent, { day, bytes: before + bytes });
      owed.add(agent);
      timer ??= setTimeout(flush, flushMs).unref();
    },
    flush,
  };
}
