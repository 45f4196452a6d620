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

/** Counts per agent, on disk. */
export interface Usage {
  /** Never throws: what cannot be stored now is stored with the next. */
  readonly count: (agent: AgentId, use: Partial<Use>) => void;
  /** Undefined where nothing was counted. */
  of(agent: AgentId): Use | undefined;
}

const nothing: Use = { requests: 0, refused: 0, commands: 0, bytes: 0 };

/** Prepares the counters. @throws the store's error. */
export function createUsage(database: DatabaseSync): Usage {
  database.exec(`CREATE TABLE IF NOT EXISTS usage (
    agent TEXT PRIMARY KEY, requests INTEGER NOT NULL, refused INTEGER NOT NULL, commands INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT`);
  const add = database.prepare(`INSERT INTO usage VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (agent) DO UPDATE SET
    requests = requests + ?2, refused = refused + ?3, commands = commands + ?4, bytes = bytes + ?5`);
  const find = database.prepare("SELECT requests, refused, commands, bytes FROM usage WHERE agent = ?");
  /** What could not be stored yet. */
  const owed = new Map<AgentId, Use>();
  return {
    count(agent, use) {
      const sum = plus(owed.get(agent) ?? nothing, { ...nothing, ...use });
      owed.set(agent, sum);
      try {
        add.run(agent, sum.requests, sum.refused, sum.commands, sum.bytes);
        owed.delete(agent);
      } catch {
        // A full disk: counting must not stop what is counted.
      }
    },
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
