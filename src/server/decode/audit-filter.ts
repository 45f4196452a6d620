import type { AuditFilter as FilterMessage } from "../../gen/sallyport/v1/audit_pb.ts";
import { parseSessionId } from "../../model/ids.ts";
import { invalid } from "../../model/problem.ts";
import type { AuditFilter, RecordKind } from "../ports/judging.ts";
import { decodeAgentId, decodeEntryId } from "./ids.ts";
import { decodeTime } from "./time.ts";

const kinds: readonly RecordKind[] = ["opened", "refused", "closed", "abandoned", "answered", "note"];

/** Which records are wanted. @throws Problem `invalid_argument`. */
export function decodeAuditFilter(field: string, filter: FilterMessage | undefined): AuditFilter {
  if (filter === undefined) return {};
  const since = decodeTime(`${field}.since`, filter.since);
  const until = decodeTime(`${field}.until`, filter.until);
  return {
    ...(filter.agent === "" ? {} : { agent: decodeAgentId(`${field}.agent`, filter.agent) }),
    ...(filter.sessionId === "" ? {} : { session: decodeSession(`${field}.session_id`, filter.sessionId) }),
    ...(filter.entryId === "" ? {} : { entry: decodeEntryId(`${field}.entry_id`, filter.entryId) }),
    ...(filter.kind === "" ? {} : { kind: decodeKind(`${field}.kind`, filter.kind) }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

function decodeSession(field: string, text: string): string {
  const id = parseSessionId(text);
  if (id === undefined) throw invalid(field, "is no identifier");
  return id;
}

function decodeKind(field: string, text: string): RecordKind {
  const kind = kinds.find((each) => each === text);
  if (kind === undefined) throw invalid(field, `must be one of ${kinds.join(", ")}`);
  return kind;
}
