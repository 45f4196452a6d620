import { AuditService } from "../../gen/sallyport/v1/audit_pb.ts";
import { Problem } from "../../model/problem.ts";
import type { Caller } from "../../model/subject.ts";
import { isAdmin, requireAdmin } from "../authority.ts";
import { decodeAuditFilter } from "../decode/audit-filter.ts";
import { decodeCount, decodeWithin } from "../decode/numbers.ts";
import type { HandlerOf } from "../glue/handler.ts";
import { type Route, serverStream, unary } from "../glue/route.ts";
import { watched } from "../glue/watched.ts";
import { provenDoor } from "../glue/wiring.ts";
import type { AuditFilter } from "../ports/judging.ts";
import type { Ports } from "../ports.ts";
import { whole } from "../reply/reply-exit.ts";
import { replyRecord } from "../reply/reply-record.ts";
import { withinAnswer } from "../reply/within-answer.ts";

type AuditRoom = Pick<Ports, "audit">;

const { query, follow, verify } = AuditService.method;

const maxRecords = 1000;
const defaultRecords = 100;

/** The record. An agent sees its own entries, an admin all. */
export function auditRoutes(room: AuditRoom): readonly Route[] {
  return [
    unary(provenDoor, query, queryOf(room)),
    serverStream(provenDoor, follow, followOf(room)),
    unary(provenDoor, verify, verifyOf(room)),
  ];
}

function queryOf({ audit }: AuditRoom): HandlerOf<typeof query> {
  return async (request, { caller }) => {
    const filter = visible(caller, decodeAuditFilter("filter", request.filter));
    const limit = decodeWithin("limit", request.limit, 0, maxRecords) || defaultRecords;
    const before = decodeCount("before_sequence", request.beforeSequence);
    const page = await audit.query({ ...filter, limit, ...(before === 0 ? {} : { cursor: String(before) }) });
    const fitting = withinAnswer(page.records, ({ body }) => body.length * 3 + 1024);
    const cut = fitting.length < page.records.length ? fitting.at(-1) : undefined;
    return {
      records: fitting.toReversed().map(replyRecord),
      nextBeforeSequence: cut === undefined ? BigInt(page.next ?? 0) : BigInt(cut.seq),
    };
  };
}

function followOf({ audit }: AuditRoom): HandlerOf<typeof follow> {
  return async function* (request, context) {
    const filter = visible(context.caller, decodeAuditFilter("filter", request.filter));
    const after = decodeCount("after_sequence", request.afterSequence);
    const records = watched(context, (signal) => audit.follow(filter, after === 0 ? undefined : after, signal));
    for await (const record of records) yield { record: replyRecord(record) };
  };
}

function verifyOf({ audit }: AuditRoom): HandlerOf<typeof verify> {
  return async (_request, { caller, signal }) => {
    requireAdmin(caller, "checking the record");
    const { ok, records, firstBad, reason } = await audit.verify(signal);
    return { ok, records: whole(records), firstBadSequence: whole(firstBad ?? 0), reason: reason ?? "" };
  };
}

/** The filter narrowed to what the caller may see. @throws Problem `permission_denied` where it asks for another agent's. */
function visible(caller: Caller, filter: AuditFilter): AuditFilter {
  if (isAdmin(caller)) return filter;
  if (filter.agent !== undefined && filter.agent !== caller.agent)
    throw new Problem("permission_denied", "filter.agent: another agent's record needs an admin", {
      field: "filter.agent",
    });
  return { ...filter, agent: caller.agent };
}
