import { join } from "node:path";
import type { Entry, Recorder } from "../model/gate-ports.ts";
import type { EntryId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { matcher, type AuditFilter } from "./audit-filter.ts";
import type { AuditRecord } from "./audit-record.ts";
import { AuditWriter } from "./audit-writer.ts";
import { entryBody } from "./entry-body.ts";
import { entryIds } from "./entry-ids.ts";
import { createBell, follow } from "./follow.ts";
import { openHeadFile, type HeadFile } from "./head-file.ts";
import { idleCheckpoint } from "./idle-checkpoint.ts";
import { openDatabase } from "./open-database.ts";
import { query, type AuditPage, type AuditQuery } from "./query.ts";
import { RecordLog, type About } from "./record-log.ts";
import { storeProblem } from "./store-problem.ts";
import { verify, type Verification } from "./verify.ts";

/** What the audit is made of. */
export interface AuditOptions {
  /** The state folder. One Sallyport at a time may have it. */
  readonly folder: string;
  readonly redactor: Redactor;
  readonly clock: () => Date;
  /** Told of what could not be recorded but must not stop anything: refusals, and the head file. */
  readonly onTrouble: (problem: Problem) => void;
  /** `normal` where not given; see `DatabaseOptions`. */
  readonly synchronous?: "normal" | "full";
}

/** Something beside requests that is worth a record. */
export interface AuditNote {
  /** `answered` for a person's answer, `note` for the rest. */
  readonly kind: "answered" | "note";
  readonly agent?: string;
  readonly session?: string;
  readonly entry?: EntryId;
  readonly verdict?: "allow" | "deny";
  /** Recorded as JSON, redacted and bounded. */
  readonly about: unknown;
}

/** The record of every decision and its outcome. */
export interface Audit extends Recorder {
  /** @throws Problem where it cannot be written. */
  note(note: AuditNote): void;
  /** One page, newest first. @throws Problem `invalid_argument`. */
  query(query: AuditQuery): AuditPage;
  /**
   * Records with a `seq` above `after` (0: all; undefined: from the next one on), then new ones as they come, until the signal aborts.
   * @throws Problem `invalid_argument`.
   */
  follow(filter: AuditFilter, after: number | undefined, signal: AbortSignal): AsyncGenerator<AuditRecord>;
  /** Checks the whole chain. Rejects where the signal aborts. */
  verify(signal?: AbortSignal): Promise<Verification>;
  /** Ends writing and lets go of the folder. Entries that are open then count as abandoned at the next start. */
  stop(): void;
}

/**
 * Opens the audit in `folder`: `audit.db` and `audit.head`. Entries that the last run left open get an `abandoned` record.
 * @throws Problem `failed_precondition` where another Sallyport uses the folder or it cannot be written, `resource_exhausted` where
 * the disk is full, `data_loss` where the file is damaged.
 */
export function openAudit(options: AuditOptions): Audit {
  const { folder } = options;
  const database = openDatabase({
    folder,
    file: "audit.db",
    exclusive: true,
    synchronous: options.synchronous ?? "normal",
  });
  let opened: HeadFile | undefined;
  try {
    const log = new RecordLog(database);
    const headFile = openHeadFile(join(folder, "audit.head"));
    opened = headFile;
    const bell = createBell();
    const checkpoint = idleCheckpoint(database);
    const writer = new AuditWriter({ ...options, log, headFile, checkpoint, bell });
    writer.start();
    return {
      ...recorder(writer),
      note: ({ kind, about, ...rest }) => writer.write(kind, rest, about),
      query: (wanted) => query(log, wanted),
      follow: (filter, after, signal) => follow(log, bell, matcher(filter), after ?? log.head.seq, signal),
      verify: (signal) => verify(log, headFile, signal),
      stop() {
        if (!database.isOpen) return;
        checkpoint.stop();
        headFile.close();
        log.close();
      },
    };
  } catch (error) {
    opened?.close();
    database.close();
    throw storeProblem(error, `cannot open the audit in ${folder}`, folder);
  }
}

function recorder(writer: AuditWriter): Recorder {
  /** Entries without an end, with what their closing record repeats of them. */
  const open = new Map<EntryId, About>();
  const newId = entryIds();
  return {
    open(entry) {
      const about = aboutEntry(entry, newId());
      writer.write("opened", about, entryBody(entry));
      open.set(about.entry, about);
      return about.entry;
    },
    refuse(entry) {
      const about = aboutEntry(entry, newId());
      writer.writeRefusal(about, entryBody(entry));
      return about.entry;
    },
    close(id, outcome) {
      const about = open.get(id);
      if (about === undefined) throw new Problem("internal", `audit entry ${id} is not open`);
      writer.write(outcome.kind === "abandoned" ? "abandoned" : "closed", about, { outcome });
      open.delete(id);
    },
  };
}

function aboutEntry({ subject, verdict }: Entry, entry: EntryId): About & { readonly entry: EntryId } {
  return { entry, agent: subject.agent, session: subject.session, verdict };
}
