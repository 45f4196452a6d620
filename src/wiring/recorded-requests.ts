import type { AuditRecord, QueryResponse } from "../gen/sallyport/v1/audit_pb.ts";

/** Reads the page of records before a sequence number, oldest first; 0: the newest page. */
export type ReadPage = (before: bigint) => Promise<Pick<QueryResponse, "records" | "nextBeforeSequence">>;

/** The records of decisions, one for each request, the newest first; `limit` at most. */
export async function* recordedRequests(page: ReadPage, limit: number): AsyncGenerator<AuditRecord> {
  let left = limit;
  let before = 0n;
  do {
    const { records, nextBeforeSequence } = await page(before);
    for (const record of records.toReversed()) {
      if (record.kind !== "opened" && record.kind !== "refused") continue;
      yield record;
      left -= 1;
      if (left === 0) return;
    }
    before = nextBeforeSequence;
  } while (before > 0n);
}
