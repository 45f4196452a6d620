import { AuditList } from "./audit-list.tsx";
import { AuditTrace } from "./audit-trace.tsx";

const session = "session:";

/** The record: all of it, one session's, or the trace of one request. */
export function AuditPage({ about }: { readonly about: string }) {
  if (about === "" || about.startsWith(session))
    return <AuditList key={about} sessionId={about.slice(session.length)} />;
  return <AuditTrace key={about} entryId={about} />;
}
