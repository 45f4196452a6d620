import type { HeadFile } from "./head-file.ts";
import type { About, RecordLog } from "./record-log.ts";

/** A record of a start, before it has its time and form. */
export interface StartRecord {
  readonly kind: "abandoned" | "note";
  readonly about: About;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Begins the note of a start that found the head file's record missing. */
export const cutNote = '{"cut":';

/** Begins the note of every start: what lies before it has an end, so that the next start need not look there. */
const startedNote = '{"started":';

/**
 * What a start has to record: that records are missing which the head file names, an `abandoned` for every entry that the last run
 * left open, and the start itself, last.
 */
export function startRecords(log: RecordLog, head: ReturnType<HeadFile["read"]>): readonly StartRecord[] {
  const lastStart = log.notes().find((note) => note.body.startsWith(startedNote))?.seq ?? 0;
  const abandoned = log.unfinished(lastStart).map(({ entry, agent, session, verdict }): StartRecord => ({
    kind: "abandoned",
    about: { entry, agent, session, verdict },
    body: { outcome: { kind: "abandoned", reason: "Sallyport ended before the request did" } },
  }));
  return [...cutRecords(log, head), ...abandoned, { kind: "note", about: {}, body: { started: true } }];
}

function cutRecords(log: RecordLog, head: ReturnType<HeadFile["read"]>): readonly StartRecord[] {
  const cut = (named: unknown): readonly StartRecord[] => [{ kind: "note", about: {}, body: { cut: named } }];
  if (head === "empty") return log.head.seq === 0 ? [] : cut("the head file is missing");
  if (head === "unreadable") return cut("the head file is damaged");
  const [named] = log.after(head.seq - 1, 1);
  return head.seq === 0 || (named?.seq === head.seq && named.hash === head.hash) ? [] : cut(head);
}
