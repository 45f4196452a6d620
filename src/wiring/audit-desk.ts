import type { Audit } from "../audit/open-audit.ts";
import type { AuditLog } from "../server/ports/judging.ts";

/** The record as the server asks for it. */
export function auditDesk(audit: Audit): AuditLog {
  return {
    query({ cursor, ...filter }) {
      const { records, next } = audit.query({ ...filter, ...(cursor === undefined ? {} : { before: Number(cursor) }) });
      return { records, next: next === undefined ? undefined : String(next) };
    },
    follow: (filter, after, signal) => audit.follow(filter, after, signal),
    verify: (signal) => audit.verify(signal),
  };
}
