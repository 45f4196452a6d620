import { invalid } from "../model/problem.ts";
import type { AuditRecord, RecordKind } from "./audit-record.ts";

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
}

const longestText = 1000;

/** Makes the test that tells whether a record is wanted. @throws Problem `invalid_argument` naming the field. */
export function matcher(filter: AuditFilter): (record: AuditRecord) => boolean {
  if ((filter.text?.length ?? 0) > longestText) throw invalid("text", `longer than ${longestText} characters`);
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
