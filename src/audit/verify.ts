import { setImmediate } from "node:timers/promises";
import { Problem } from "../model/problem.ts";
import { hashRecord, noHash, type AuditRecord } from "./audit-record.ts";
import type { Head, HeadFile } from "./head-file.ts";
import type { RecordLog } from "./record-log.ts";
import { cutNote } from "./start-records.ts";

/** What a check of the whole chain found. */
export interface Verification {
  readonly ok: boolean;
  /** Records that were checked. */
  readonly records: number;
  /** `seq` of the first record that is not what it should be, or that is missing. */
  readonly firstBad?: number;
  /** Why, in one sentence. */
  readonly reason?: string;
  /** The newest record that was checked: noted elsewhere, it proves later that nothing up to it was changed or cut off. */
  readonly head: Head;
}

const batch = 500;

/**
 * Checks the chain from its beginning to the record that was newest when the check began, and that the head file's record is in it.
 * Lets others run between batches; rejects with Problem `cancelled` where the signal aborts.
 */
export async function verify(log: RecordLog, headFile: HeadFile, signal?: AbortSignal): Promise<Verification> {
  const end = log.head.seq;
  const anchor = headFile.read();
  let last: Head = { seq: 0, hash: noHash };
  const bad = (seq: number, reason: string): Verification => ({
    ok: false,
    records: last.seq,
    firstBad: seq,
    reason,
    head: last,
  });
  while (last.seq < end) {
    const records = log.after(last.seq, Math.min(batch, end - last.seq));
    if (records.length === 0) return bad(last.seq + 1, "the record is missing");
    for (const record of records) {
      const reason = fault(record, last, anchor);
      if (reason !== undefined) return bad(record.seq === last.seq + 1 ? record.seq : last.seq + 1, reason);
      last = record;
    }
    await setImmediate();
    if (signal?.aborted === true) throw new Problem("cancelled", "the caller went away", { cause: signal.reason });
  }
  const reason = faultOfAnchor(anchor, last);
  return reason === undefined
    ? { ok: true, records: last.seq, head: { seq: last.seq, hash: last.hash } }
    : bad(last.seq + 1, reason);
}

function fault(record: AuditRecord, last: Head, anchor: ReturnType<HeadFile["read"]>): string | undefined {
  if (record.seq !== last.seq + 1) return "the record is missing";
  if (record.prev !== last.hash) return "the record does not follow the one before it";
  if (record.hash !== hashRecord(record)) return "the record was changed";
  if (typeof anchor === "object" && anchor.seq === record.seq && anchor.hash !== record.hash)
    return "the record is not the one that the head file names";
  if (record.kind === "note" && record.body.startsWith(cutNote))
    return "records before this one were cut off; its body says which";
  return undefined;
}

function faultOfAnchor(anchor: ReturnType<HeadFile["read"]>, last: Head): string | undefined {
  if (anchor === "empty") return last.seq === 0 ? undefined : "the head file is missing";
  if (anchor === "unreadable") return "the head file is damaged";
  return anchor.seq > last.seq ? `the records up to ${anchor.seq}, which the head file names, are missing` : undefined;
}
