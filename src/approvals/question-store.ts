import type { DatabaseSync } from "node:sqlite";
import { parseQuestionId, type QuestionId } from "../model/ids.ts";
import type { ClosedQuestion, Closing, OpenQuestion } from "./open-question.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS questions (
    id TEXT PRIMARY KEY, agent TEXT NOT NULL, session TEXT NOT NULL, asked_at INTEGER NOT NULL, title TEXT NOT NULL,
    closed_at INTEGER, answer TEXT, closed_by TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS questions_closed ON questions (closed_at);
`;

const usualClosed = 10_000;

/** Questions and their ends, on disk. What throws did not happen. */
export interface QuestionStore {
  insert(question: OpenQuestion): void;
  close(id: QuestionId, closing: Closing, at: Date): void;
  /** Undefined where it is unknown or open. */
  closing(id: QuestionId): Closing | undefined;
  /** The last closed first. */
  closed(limit: number): readonly ClosedQuestion[];
}

/**
 * Prepares the store. Questions that were open when the last run ended are closed as lost: those who asked are gone. Of closed ones about the last `mostClosed` are
 * kept.
 */
export function createQuestionStore(database: DatabaseSync, now: Date, mostClosed = usualClosed): QuestionStore {
  database.exec(schema);
  database
    .prepare("UPDATE questions SET closed_at = ?, closed_by = 'lost with the restart' WHERE closed_at IS NULL")
    .run(now.getTime());
  const insert = database.prepare("INSERT INTO questions (id, agent, session, asked_at, title) VALUES (?, ?, ?, ?, ?)");
  const close = database.prepare(
    "UPDATE questions SET closed_at = ?, answer = ?, closed_by = ? WHERE id = ? AND closed_at IS NULL",
  );
  const prune = database.prepare("DELETE FROM questions WHERE rowid <= ? AND closed_at IS NOT NULL");
  const find = database.prepare("SELECT answer, closed_by FROM questions WHERE id = ? AND closed_at IS NOT NULL");
  const list = database.prepare(
    "SELECT * FROM questions WHERE closed_at IS NOT NULL ORDER BY closed_at DESC, rowid DESC LIMIT ?",
  );
  return {
    insert(question) {
      const { id, agent, session, askedAt, title } = question;
      const { lastInsertRowid } = insert.run(id, agent, session, askedAt.getTime(), title);
      // Numbers of rows rise: whoever asks for ever fills no disk.
      prune.run(Number(lastInsertRowid) - mostClosed);
    },
    close(id, closing, at) {
      close.run(at.getTime(), closing.answer ?? null, closing.by, id);
    },
    closing(id) {
      const row = find.get(id);
      return row === undefined ? undefined : toClosing(row);
    },
    closed: (limit) => list.all(limit).flatMap(toClosedQuestion),
  };
}

function toClosing(row: Readonly<Record<string, unknown>>): Closing {
  const answer = row["answer"];
  const known =
    answer === "allow" || answer === "always-allow" || answer === "deny" || answer === "always-deny"
      ? answer
      : undefined;
  return { answer: known, by: text(row["closed_by"]) };
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
