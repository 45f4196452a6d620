import type { DatabaseSync, StatementSync } from "node:sqlite";
import { hashRecord, noHash, toRecord, type AuditRecord } from "./audit-record.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS records (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, entry TEXT NOT NULL, kind TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
    verdict TEXT NOT NULL, body TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS notes ON records (kind, seq) WHERE kind = 'note';
  CREATE TRIGGER IF NOT EXISTS never_replaced BEFORE INSERT ON records WHEN EXISTS (SELECT 1 FROM records WHERE seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  CREATE TRIGGER IF NOT EXISTS never_changed BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  CREATE TRIGGER IF NOT EXISTS never_deleted BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
`;

/** What a new record says; the log adds its place in the chain. */
export type RecordDraft = Omit<AuditRecord, "seq" | "prev" | "hash">;

/** What a record is about; all of it may be missing. */
export type About = Partial<Pick<RecordDraft, "entry" | "agent" | "session" | "verdict">>;

/** The chain in the store. Synchronous: what `append` returned is committed. */
export class RecordLog {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #after: StatementSync;
  readonly #before: StatementSync;
  #head: Pick<AuditRecord, "seq" | "hash">;

  constructor(database: DatabaseSync) {
    database.exec(schema);
    this.#database = database;
    this.#insert = database.prepare("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    this.#after = database.prepare("SELECT * FROM records WHERE seq > ? ORDER BY seq LIMIT ?");
    this.#before = database.prepare("SELECT * FROM records WHERE seq < ? ORDER BY seq DESC LIMIT ?");
    this.#head = this.before(Number.MAX_SAFE_INTEGER, 1)[0] ?? { seq: 0, hash: noHash };
  }

  /** Place and hash of the newest record; 0 and zeros where there is none. */
  get head(): Pick<AuditRecord, "seq" | "hash"> {
    return this.#head;
  }

  /** @throws the store's error; the chain is as before then. */
  append(draft: RecordDraft): AuditRecord {
    const linked = { ...draft, seq: this.#head.seq + 1, prev: this.#head.hash };
    const hash = hashRecord(linked);
    const { seq, at, entry, kind, agent, session, verdict, body, prev } = linked;
    this.#insert.run(seq, at, entry, kind, agent, session, verdict, body, prev, hash);
    this.#head = { seq, hash };
    return { ...linked, hash };
  }

  /** Appends all or none. @throws the store's error; the chain is as before then. */
  appendAll(drafts: readonly RecordDraft[]): void {
    const head = this.#head;
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      for (const draft of drafts) this.append(draft);
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#head = head;
      // A full disk may have rolled the transaction back already.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** Records with a higher `seq`, oldest first. */
  after(seq: number, limit: number): AuditRecord[] {
    return this.#after.all(seq, limit).map(toRecord);
  }

  /** Records with a lower `seq`, newest first. */
  before(seq: number, limit: number): AuditRecord[] {
    return this.#before.all(seq, limit).map(toRecord);
  }

  /** Notes, newest first. */
  notes(): AuditRecord[] {
    return this.#database.prepare("SELECT * FROM records WHERE kind = 'note' ORDER BY seq DESC").all().map(toRecord);
  }

  /** Records of opened entries after `seq` that have no end. */
  unfinished(seq: number): AuditRecord[] {
    const ended = "SELECT entry FROM records WHERE seq > ? AND kind IN ('closed', 'abandoned')";
    const found = this.#database.prepare(
      `SELECT * FROM records WHERE seq > ? AND kind = 'opened' AND entry NOT IN (${ended}) ORDER BY seq`,
    );
    return found.all(seq, seq).map(toRecord);
  }

  close(): void {
    this.#database.close();
  }
}
