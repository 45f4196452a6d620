import type { AuditRecord, RecordKind } from "./audit-record.ts";
import { invalid } from "../model/problem.ts";
import type { RecordLog } from "./record-log.ts";

/** Which records are wanted; every field that is given must fit. */
export interface AuditFilter {
  readonly agent?: string;
  readonly session?: string;
  readonly entry?: string;
  readonly kind?: RecordKind;
  readonly verdict?: "allow" | "deny";
  /** Inclusive. */
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
  /** Must occur in the body's JSON, case and all; 1000 characters at most. */
  readonly text?: string;
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
const longestText = 1000;

/** Finds records. @throws Problem `invalid_argument` naming the field. */
export function query(log: RecordLog, filter: AuditFilter): AuditPage {
  const limit = filter.limit ?? usualRecords;
  if (!Number.isInteger(limit) || limit < 1 || limit > mostRecords)
    throw invalid("limit", `not from 1 to ${mostRecords}`);
  if ((filter.text?.length ?? 0) > longestText) throw invalid("text", `longer than ${longestText} characters`);
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

function matcher(filter: AuditFilter): (record: AuditRecord) => boolean {
  const since = instant("since", filter.since);
  const until = instant("until", filter.until);
  const { agent, session, entry, kind, verdict, text } = filter;
  return (record) =>
    (agent === undefined || record.agent === agent) &&
    (session === undefined || record.session === session) &&
    (entry === undefined || record.entry === entry) &&
    (kind === undefined || record.kind === kind) &&
    (verdict === undefined || record.verdict === verdict) &&
    (since === undefined || record.at >= since) &&
    (until === undefined || record.at < until) &&
    (text === undefined || record.body.includes(text));
}

function instant(field: string, date: Date | undefined): string | undefined {
  if (date !== undefined && Number.isNaN(date.getTime())) throw invalid(field, "no date");
  return date?.toISOString();
}
