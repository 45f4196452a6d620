import type { AuditRecord } from "../../../../gen/sallyport/v1/audit_pb.ts";
import { api } from "../api.ts";
import { bodyOf, fieldsOf, wordOf } from "../parts/record-fields.ts";

const mostRecords = 1000;

/** Every record of a request, and, where a person settled it, the answer before them. */
export async function traceOf(entryId: string, signal: AbortSignal): Promise<readonly AuditRecord[]> {
  const { records } = await api.audit.query({ filter: { entryId }, limit: mostRecords }, { signal });
  const question = records.map(questionOf).find((id) => id !== "");
  if (question === undefined) return records;
  const { records: answers } = await api.audit.query({ filter: { entryId: question }, limit: 1 }, { signal });
  return [...answers, ...records];
}

/** The question that a person answered to let this be or not; empty where nobody was asked. */
function questionOf({ bodyJson }: AuditRecord): string {
  return wordOf(fieldsOf(bodyOf(bodyJson)["by"])["question"]);
}
