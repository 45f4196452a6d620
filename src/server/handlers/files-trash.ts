import { FilesService, type RestoreRequest } from "../../gen/sallyport/v1/files_pb.ts";
import type { RestoreIntent } from "../../model/intent.ts";
import { invalid, Problem } from "../../model/problem.ts";
import type { Caller } from "../../model/subject.ts";
import { isAdmin } from "../authority.ts";
import { belowFor } from "../below-for.ts";
import { carry } from "../carry.ts";
import { decodeAgentId } from "../decode/ids.ts";
import { decodeWithin } from "../decode/numbers.ts";
import { decodePlace } from "../decode/path.ts";
import type { HandlerOf } from "../glue/handler.ts";
import { type Route, unary } from "../glue/route.ts";
import { provenDoor } from "../glue/wiring.ts";
import type { ParsePath } from "../ports/acting.ts";
import type { Trashed } from "../ports/changing.ts";
import type { Ports } from "../ports.ts";
import { replyFile } from "../reply/reply-file.ts";
import { replyTrashed } from "../reply/reply-trashed.ts";
import { withinAnswer } from "../reply/within-answer.ts";
import { sessionOf } from "../session-of.ts";

type TrashRoom = Pick<Ports, "gate" | "sessions" | "parsePath" | "changes" | "entries">;

const { listTrash, restore, emptyTrash } = FilesService.method;

const maxListed = 10_000;
const defaultListed = 1000;
/** Entries of one call: each is judged, and shown to whoever is asked. */
const maxEmptied = 256;

/** What was removed, the way back, and the end of it. */
export function filesTrashRoutes(room: TrashRoom): readonly Route[] {
  return [
    unary(provenDoor, listTrash, listTrashOf(room)),
    unary(provenDoor, restore, restoreOf(room)),
    unary(provenDoor, emptyTrash, emptyTrashOf(room)),
  ];
}

function listTrashOf({ changes }: TrashRoom): HandlerOf<typeof listTrash> {
  return async (request, { caller }) => {
    const limit = decodeWithin("limit", request.limit, 0, maxListed) || defaultListed;
    const entries = (await changes.trash()).filter((each) => maySee(caller, each));
    const fitting = withinAnswer(entries.slice(0, limit), ({ path }) => path.length * 6 + 250);
    return { entries: fitting.map(replyTrashed), truncated: fitting.length < entries.length };
  };
}

function restoreOf({ gate, sessions, parsePath, changes, entries }: TrashRoom): HandlerOf<typeof restore> {
  return async (request, { caller, signal }) => {
    if (!/^[0-9a-f]{32}$/.test(request.trashId)) throw invalid("trash_id", "is no identifier");
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    const found = (await changes.trash()).find(({ id }) => id === request.trashId);
    // Whoever may not see it learns nothing.
    if (found === undefined || !maySee(caller, found))
      throw new Problem("not_found", "trash_id: the trash holds no such entry", { field: "trash_id" });
    return carry(gate, subject, decodeRestore(parsePath, request, found), signal, async ({ entry, permit, done }) => {
      const info = await changes.restore(permit, belowFor(entries, subject), signal);
      done({ entries: found.entries });
      return { info: replyFile(info), entryId: entry };
    });
  };
}

function emptyTrashOf({ gate, sessions, changes }: TrashRoom): HandlerOf<typeof emptyTrash> {
  return async (request, { caller, signal }) => {
    const agent = request.agent === "" ? undefined : decodeAgentId("agent", request.agent);
    const latest = Date.now() - Number(request.olderThanSeconds) * 1000;
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    const meant = (await changes.trash())
      .filter((each) => maySee(caller, each) && (agent === undefined || each.agent === agent))
      .filter(({ removedAt }) => request.olderThanSeconds === 0n || removedAt.getTime() <= latest)
      .toReversed();
    const entries = meant.slice(0, maxEmptied).map(({ id, path, kind }) => ({ id, path, folder: kind === "folder" }));
    if (entries.length === 0) return {};
    return carry(gate, subject, { kind: "empty-trash", entries }, signal, async ({ entry, permit, done }) => {
      const deleted = await changes.emptyTrash(permit);
      const bytes = deleted.reduce((sum, each) => sum + each.bytes, 0);
      done({ entries: deleted.length });
      // What was restored or deleted by somebody else meanwhile is neither.
      const left = meant.length - entries.length;
      return { deleted: BigInt(deleted.length), bytes: BigInt(bytes), left: BigInt(left), entryId: entry };
    });
  };
}

function decodeRestore(
  parse: ParsePath,
  { to, toBytes }: RestoreRequest,
  { id, path: original, kind }: Trashed,
): RestoreIntent {
  const path = to === "" && toBytes.length === 0 ? original : decodePlace(parse, "to", to, toBytes);
  return { kind: "restore", id, path, original, folder: kind === "folder" };
}

function maySee(caller: Caller, { agent }: Trashed): boolean {
  return isAdmin(caller) || agent === caller.agent;
}
