import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AuditRecordSchema } from "../../gen/sallyport/v1/audit_pb.ts";
import type { AuditRecord } from "../ports/judging.ts";

/** A record of the audit as a message. */
export function replyRecord(record: AuditRecord): MessageInitShape<typeof AuditRecordSchema> {
  return {
    sequence: BigInt(record.seq),
    at: record.at,
    entryId: record.entry,
    kind: record.kind,
    agent: record.agent,
    sessionId: record.session,
    bodyJson: record.body,
    hash: record.hash,
  };
}
