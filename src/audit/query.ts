import { matcher, type AuditFilter } from "./audit-filter.ts";
import type { AuditRecord } from "./audit-record.ts";
import { invalid } from "../model/problem.ts";
import type { RecordLog } from "./record-log.ts";

/** Which page of records is wanted. */
export interface AuditQuery extends AuditFilter {
  /** Records at most, 1 to 1000; 100 where not given. */
  readonly limit?: number;
  /** Only records with a lower `seq`: `next` of the page before. */
  readonly before?: number;
}

/** One page, newest first. */
export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** Where to go on; undefined at the beginning of the log. A page may be short, even empty, and still have one. */
  readonly next: number | undefined;
}

/** Records looked at for one page, so that no query holds up the sidecar for long. */
const window = 10_000;
const batch = 500;
const mostRecords = 1000;
const usualRecords = 100;

/** Finds records. @throws Problem `invalid_argument` naming the field. */
export function query(log: RecordLog, filter: AuditQuery): AuditPage {
  const limit = filter.limit ?? usualRecords;
  if (!Number.isInteger(limit) || limit < 1 || limit > mostRecords)
    throw invalid("limit", `not from 1 to ${mostRecords}`);
  const fits = matcher(filter);
  const records: AuditRecord[] = [];
  let before = start(filter.before);
  for (let looked = 0; looked < window; looked += batch) {
    const found = log.before(before, batch);
    for (const record of found) {
      before = record.seq;
      if (fits(record)) records.push(record);
      if (records.length === limit) return { records, next: before > 1 ? before : undefined };
    }
    if (found.length < batch) return { records, next: undefined };
  }
  return { records, next: before };
}

function start(before = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isSafeInteger(before) || before < 1) throw invalid("before", "not the number of a record");
  return before;
}
