import type { DatabaseSync } from "node:sqlite";
import type { AgentId } from "../model/ids.ts";

/** What an agent has used. */
export interface Use {
  /** Requests that were decided. */
  readonly requests: number;
  /** Of these, refused. */
  readonly refused: number;
  /** Commands run. */
  readonly commands: number;
  /** Bytes read, written, fetched and printed. */
  readonly bytes: number;
}

/** Counts per agent, on disk within a second: every request comes by here, and a write for each would cost more than the rest of its record. */
export interface Usage {
  /** Never throws: what cannot be stored now is stored with the next. */
  readonly count: (agent: AgentId, use: Partial<Use>) => void;
  /** Stores what is owed now; for the end. */
  readonly flush: () => void;
  /** Undefined where nothing was counted. */
  of(agent: AgentId): Use | undefined;
}

const flushMs = 1000;

const nothing: Use = { requests: 0, refused: 0, commands: 0, bytes: 0 };

/** Prepares the counters. @throws the store's error. */
export function createUsage(database: DatabaseSync): Usage {
  database.exec(`CREATE TABLE IF NOT EXISTS usage (
    agent TEXT PRIMARY KEY, requests INTEGER NOT NULL, refused INTEGER NOT NULL, commands INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT`);
  const add = database.prepare(`INSERT INTO usage VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (agent) DO UPDATE SET
    requests = requests + ?2, refused = refused + ?3, commands = commands + ?4, bytes = bytes + ?5`);
  const find = database.prepare("SELECT requests, refused, commands, bytes FROM usage WHERE agent = ?");
  /** What is not stored yet. */
  const owed = new Map<AgentId, Use>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [agent, { requests, refused, commands, bytes }] of owed) {
      try {
        add.run(agent, requests, refused, commands, bytes);
        owed.delete(agent);
      } catch {
        // A full disk: counting must not stop what is counted.
      }
    }
  }

  return {
    count(agent, use) {
      owed.set(agent, plus(owed.get(agent) ?? nothing, { ...nothing, ...use }));
      timer ??= setTimeout(flush, flushMs).unref();
    },
    flush,
    of(agent) {
      const row = find.get(agent);
      const due = owed.get(agent);
      return row === undefined ? due : plus(toUse(row), due ?? nothing);
    },
  };
}

function plus(a: Use, b: Use): Use {
  return {
    requests: a.requests + b.requests,
    refused: a.refused + b.refused,
    commands: a.commands + b.commands,
    bytes: a.bytes + b.bytes,
  };
}

function toUse(row: Readonly<Record<string, unknown>>): Use {
  return {
    requests: Number(row["requests"]),
    refused: Number(row["refused"]),
    commands: Number(row["commands"]),
    bytes: Number(row["bytes"]),
  };
}
