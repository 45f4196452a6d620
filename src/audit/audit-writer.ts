import type { Problem } from "../model/problem.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { RecordKind } from "./audit-record.ts";
import { boundedJson } from "./bound.ts";
import type { Bell } from "./follow.ts";
import type { HeadFile } from "./head-file.ts";
import type { IdleCheckpoint } from "./idle-checkpoint.ts";
import type { About, RecordDraft, RecordLog } from "./record-log.ts";
import { startRecords } from "./start-records.ts";
import { storeProblem } from "./store-problem.ts";

/** What a writer works with. */
export interface WriterParts {
  readonly folder: string;
  readonly log: RecordLog;
  readonly headFile: HeadFile;
  readonly checkpoint: IdleCheckpoint;
  readonly bell: Bell;
  readonly redactor: Redactor;
  readonly clock: () => Date;
  readonly onTrouble: (problem: Problem) => void;
}

/** Puts records at the end of the chain: redacted, bounded, committed, and noted in the head file. */
export class AuditWriter {
  readonly #parts: WriterParts;
  /** Refusals that could not be recorded since the last record that could. */
  #lost = 0;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** Records a start. @throws Problem where it cannot be written. */
  start(): void {
    const { log, headFile } = this.#parts;
    this.#commit(() => {
      const records = startRecords(log, headFile.read());
      log.appendAll(records.map(({ kind, about, body }) => this.#draft(kind, about, body)));
    });
  }

  /** @throws Problem where it cannot be written. */
  write(kind: RecordKind, about: About, body: unknown): void {
    const { log } = this.#parts;
    const record = this.#draft(kind, about, body);
    this.#commit(() => {
      if (this.#lost === 0) log.append(record);
      else log.appendAll([this.#draft("note", {}, { lostRefusals: this.#lost }), record]);
    });
    this.#lost = 0;
  }

  /** Records a refusal, or counts it as lost: the count is recorded as soon as something can be. */
  writeRefusal(about: About, body: unknown): void {
    try {
      this.write("refused", about, body);
    } catch (error) {
      this.#lost += 1;
      this.#parts.onTrouble(storeProblem(error, "cannot record a refusal", this.#parts.folder));
    }
  }

  #commit(append: () => void): void {
    const { log, headFile, checkpoint, bell, folder, onTrouble } = this.#parts;
    try {
      append();
    } catch (error) {
      throw storeProblem(error, "cannot write the audit", folder);
    }
    try {
      headFile.write(log.head);
    } catch (error) {
      // The record stands; a head that lags is allowed and the next record catches up.
      onTrouble(storeProblem(error, "cannot note the audit's head", folder));
    }
    checkpoint.wrote();
    bell.ring();
  }

  #draft(kind: RecordKind, about: About, body: unknown): RecordDraft {
    return {
      at: this.#parts.clock().toISOString(),
      entry: about.entry ?? "",
      kind,
      agent: about.agent ?? "",
      session: about.session ?? "",
      verdict: about.verdict ?? "",
      body: boundedJson(this.#parts.redactor.redactDeep(body)),
    };
  }
}
