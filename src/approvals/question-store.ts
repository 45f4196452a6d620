import type { DatabaseSync } from "node:sqlite";
import type { Answer } from "../model/gate-ports.ts";
import { parseQuestionId, type QuestionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import type { ClosedQuestion, Closing } from "./open-question.ts";
import {
  answerKind,
  parseKeptAnswer,
  parseStoredQuestion,
  questionJson,
  type StoredQuestion,
} from "./stored-question.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS questions (
    id TEXT PRIMARY KEY, agent TEXT NOT NULL, session TEXT NOT NULL, asked_at INTEGER NOT NULL, title TEXT NOT NULL,
    closed_at INTEGER, answer TEXT, closed_by TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS questions_closed ON questions (closed_at);
  CREATE TABLE IF NOT EXISTS open_questions (
    id TEXT PRIMARY KEY, deadline INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS kept_answers (
    digest TEXT PRIMARY KEY, deadline INTEGER NOT NULL, answer TEXT NOT NULL
  ) STRICT;
`;

const usualClosed = 10_000;

/** An answer that waits for the request that it was given for. */
export interface KeptAnswer {
  readonly digest: string;
  readonly deadline: Date;
  readonly answer: Answer;
}

/** Questions, their ends, and answers that nobody has used yet, on disk. What throws did not happen. */
export interface QuestionStore {
  insert(question: StoredQuestion): void;
  /** Ends a question, and keeps its answer where nobody waits for it. */
  close(id: QuestionId, closing: Closing, at: Date, kept?: KeptAnswer): void;
  /** Those that were open when the last run ended and whose deadline is still to come, the oldest first. */
  load(): readonly StoredQuestion[];
  /** The answer that was kept for such a question. */
  kept(digest: string, now: Date): Answer | undefined;
  /**
   * Takes a kept answer away in one step with `record`: both are on disk when it returns, or neither.
   * @throws Problem `aborted` where it is gone; what `record` throws.
   */
  useUp<T>(digest: string, record: () => T): T;
  /** Undefined where it is unknown or open. */
  closing(id: QuestionId): Closing | undefined;
  /** The last closed first. */
  closed(limit: number): readonly ClosedQuestion[];
}

/** Prepares the store; questions whose deadline passed meanwhile are closed by it. Of closed ones about the last `mostClosed` are kept. */
export function createQuestionStore(database: DatabaseSync, now: Date, mostClosed = usualClosed): QuestionStore {
  database.exec(schema);
  endOverdue(database, now);
  const insert = database.prepare("INSERT INTO questions (id, agent, session, asked_at, title) VALUES (?, ?, ?, ?, ?)");
  const open = database.prepare("INSERT INTO open_questions VALUES (?, ?, ?)");
  const close = database.prepare(
    "UPDATE questions SET closed_at = ?, answer = ?, closed_by = ? WHERE id = ? AND closed_at IS NULL",
  );
  const dropOpen = database.prepare("DELETE FROM open_questions WHERE id = ?");
  const all = database.prepare("SELECT body FROM open_questions ORDER BY rowid");
  const keep = database.prepare("INSERT OR REPLACE INTO kept_answers VALUES (?, ?, ?)");
  const findKept = database.prepare("SELECT answer FROM kept_answers WHERE digest = ? AND deadline > ?");
  const dropKept = database.prepare("DELETE FROM kept_answers WHERE digest = ?");
  const lapse = database.prepare("DELETE FROM kept_answers WHERE deadline <= ?");
  const prune = database.prepare("DELETE FROM questions WHERE rowid <= ? AND closed_at IS NOT NULL");
  const find = database.prepare("SELECT answer, closed_by FROM questions WHERE id = ? AND closed_at IS NOT NULL");
  const list = database.prepare(
    "SELECT * FROM questions WHERE closed_at IS NOT NULL ORDER BY closed_at DESC, rowid DESC LIMIT ?",
  );
  return {
    insert(question) {
      const { id, agent, session, askedAt, deadline, title } = question.shown;
      together(database, () => {
        const { lastInsertRowid } = insert.run(id, agent, session, askedAt.getTime(), title);
        open.run(id, deadline.getTime(), questionJson(question));
        // Numbers of rows rise: whoever asks for ever fills no disk.
        prune.run(Number(lastInsertRowid) - mostClosed);
      });
    },
    close(id, closing, at, kept) {
      together(database, () => {
        close.run(at.getTime(), closing.answer ?? null, closing.by, id);
        dropOpen.run(id);
        lapse.run(at.getTime());
        if (kept !== undefined) keep.run(kept.digest, kept.deadline.getTime(), JSON.stringify(kept.answer));
      });
    },
    load: () => all.all().flatMap(({ body }) => parseStoredQuestion(text(body)) ?? []),
    kept(digest, at) {
      const row = findKept.get(digest, at.getTime());
      return row === undefined ? undefined : parseKeptAnswer(text(row["answer"]));
    },
    useUp(digest, record) {
      // What follows must not happen twice, not even where the machine loses power: this commit is on the disk before anything acts.
      database.exec("PRAGMA synchronous = FULL");
      try {
        return together(database, () => {
          if (Number(dropKept.run(digest).changes) === 0)
            throw new Problem("aborted", "the answer was used by another request: ask again");
          return record();
        });
      } finally {
        database.exec("PRAGMA synchronous = NORMAL");
      }
    },
    closing(id) {
      const row = find.get(id);
      return row === undefined ? undefined : toClosing(row);
    },
    closed: (limit) => list.all(limit).flatMap(toClosedQuestion),
  };
}

/** Silence until the deadline is a denial, also while nothing ran. A question without its text cannot be asked any more. */
function endOverdue(database: DatabaseSync, now: Date): void {
  together(database, () => {
    const end = database.prepare(
      "UPDATE questions SET closed_at = ?1, answer = 'deny', closed_by = 'the deadline' WHERE closed_at IS NULL AND id IN (SELECT id FROM open_questions WHERE deadline <= ?1)",
    );
    end.run(now.getTime());
    database.prepare("DELETE FROM open_questions WHERE deadline <= ?").run(now.getTime());
    database.prepare("DELETE FROM kept_answers WHERE deadline <= ?").run(now.getTime());
    for (const { id, body } of database.prepare("SELECT id, body FROM open_questions").all())
      if (parseStoredQuestion(text(body)) === undefined)
        database.prepare("DELETE FROM open_questions WHERE id = ?").run(text(id));
    database
      .prepare(
        "UPDATE questions SET closed_at = ?, closed_by = 'lost with the restart' WHERE closed_at IS NULL AND id NOT IN (SELECT id FROM open_questions)",
      )
      .run(now.getTime());
  });
}

function together<T>(database: DatabaseSync, act: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = act();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // Some failures have ended it already (sqlite.org/lang_transaction.html, "Response To Errors Within A Transaction").
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function toClosing(row: Readonly<Record<string, unknown>>): Closing {
  return { answer: answerKind(row["answer"]), by: text(row["closed_by"]) };
}

function toClosedQuestion(row: Readonly<Record<string, unknown>>): readonly ClosedQuestion[] {
  const id = parseQuestionId(text(row["id"]));
  if (id === undefined) return [];
  const askedAt = new Date(Number(row["asked_at"]));
  const closedAt = new Date(Number(row["closed_at"]));
  return [
    {
      id,
      agent: text(row["agent"]),
      session: text(row["session"]),
      title: text(row["title"]),
      askedAt,
      closedAt,
      ...toClosing(row),
    },
  ];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
