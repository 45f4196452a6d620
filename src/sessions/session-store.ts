import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import { parseStoredSession, type StoredSession } from "./stored-session.ts";

/** Sessions on disk. */
export interface SessionStore {
  /** Those of the last run that can still be read; the others are removed. */
  load(): readonly StoredSession[];
  /** @throws Problem `unavailable`. */
  save(stored: StoredSession): void;
  /** @throws Problem `unavailable`. */
  remove(id: SessionId): void;
}

/** Prepares the store. @throws the store's error. */
export function createSessionStore(database: DatabaseSync): SessionStore {
  database.exec("CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT");
  const all = database.prepare("SELECT id, body FROM sessions");
  const put = database.prepare("INSERT OR REPLACE INTO sessions VALUES (?, ?)");
  const drop = database.prepare("DELETE FROM sessions WHERE id = ?");
  const store = (write: () => void): void => {
    try {
      write();
    } catch (cause) {
      throw new Problem("unavailable", "the session could not be stored", { cause });
    }
  };
  return {
    load() {
      return all.all().flatMap(({ id, body }) => {
        const stored = parseStoredSession(String(body));
        if (stored?.session.subject.session === id && stored !== undefined) return [stored];
        drop.run(id ?? null);
        return [];
      });
    },
    save: (stored) => store(() => put.run(stored.session.subject.session, JSON.stringify(stored))),
    remove: (id) => store(() => drop.run(id)),
  };
}
