import { FilesService } from "../../gen/sallyport/v1/files_pb.ts";
import { carry } from "../carry.ts";
import { belowFor } from "../below-for.ts";
import { decodeCopy, decodeEdit, decodeMakeDirectory, decodeMove, decodeRemove } from "../decode/change-requests.ts";
import type { HandlerOf } from "../glue/handler.ts";
import { type Route, unary } from "../glue/route.ts";
import { provenDoor } from "../glue/wiring.ts";
import type { Ports } from "../ports.ts";
import { replyFile } from "../reply/reply-file.ts";
import { lookFirst } from "../look-first.ts";
import { spendFor } from "../spend-for.ts";
import { sessionOf } from "../session-of.ts";

type ChangesRoom = Pick<Ports, "gate" | "sessions" | "parsePath" | "changes" | "entries" | "budget">;

const { edit, move, copy, remove, makeDirectory } = FilesService.method;

/** Changes of files and folders. */
export function filesChangesRoutes(room: ChangesRoom): readonly Route[] {
  return [
    unary(provenDoor, edit, editOf(room)),
    unary(provenDoor, move, moveOf(room)),
    unary(provenDoor, copy, copyOf(room)),
    unary(provenDoor, remove, removeOf(room)),
    unary(provenDoor, makeDirectory, makeDirectoryOf(room)),
  ];
}

function editOf({ gate, sessions, parsePath, changes, entries: judge, budget }: ChangesRoom): HandlerOf<typeof edit> {
  return async (request, { caller, signal }) => {
    const { intent, edit: change } = decodeEdit(parsePath, request);
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    let basis: string | undefined;
    return carry(
      gate,
      subject,
      intent,
      signal,
      async ({ entry, permit, done }) => {
        const { info, diff, bytes } = await changes.edit(
          permit,
          change,
          { basis, spend: spendFor(budget, subject) },
          signal,
        );
        done({ bytes });
        return { diff: diff.text, diffTruncated: diff.truncated, info: replyFile(info), entryId: entry };
      },
      async ({ action: { path } }) => {
        const preview = await lookFirst(path, belowFor(judge, subject), () => changes.previewEdit(path, change));
        // What was shown is what is changed.
        if ("basis" in preview) basis = preview.basis;
        return preview;
      },
    );
  };
}

function moveOf({ gate, sessions, parsePath, changes, entries: judge }: ChangesRoom): HandlerOf<typeof move> {
  return async (request, { caller, signal }) => {
    const intent = decodeMove(parsePath, request);
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    const below = belowFor(judge, subject);
    return carry(
      gate,
      subject,
      intent,
      signal,
      async ({ entry, permit, done }) => {
        done({ entries: await changes.move(permit, below, signal) });
        return { entryId: entry };
      },
      ({ action: { from } }) => lookFirst(from, below, () => changes.previewTree("from", from, signal)),
    );
  };
}

function copyOf({ gate, sessions, parsePath, changes, entries: judge, budget }: ChangesRoom): HandlerOf<typeof copy> {
  return async (request, { caller, signal }) => {
    const intent = decodeCopy(parsePath, request);
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    const below = belowFor(judge, subject);
    return carry(
      gate,
      subject,
      intent,
      signal,
      async ({ entry, permit, done }) => {
        const { entries, bytes } = await changes.copy(permit, below, spendFor(budget, subject), signal);
        done({ entries, bytes });
        return { entries: BigInt(entries), bytes: BigInt(bytes), entryId: entry };
      },
      ({ action: { from } }) => lookFirst(from, below, () => changes.previewTree("from", from, signal)),
    );
  };
}

function removeOf({ gate, sessions, parsePath, changes, entries: judge }: ChangesRoom): HandlerOf<typeof remove> {
  return async (request, { caller, signal }) => {
    const intent = decodeRemove(parsePath, request);
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    return carry(
      gate,
      subject,
      intent,
      signal,
      async ({ entry, permit, done }) => {
        const { id, entries } = await changes.remove(permit, subject.agent, signal);
        done({ entries, trash: id });
        return { trashId: id, entries: BigInt(entries), entryId: entry };
      },
      ({ action: { path } }) =>
        lookFirst(path, belowFor(judge, subject), () => changes.previewTree("path", path, signal)),
    );
  };
}

function makeDirectoryOf({ gate, sessions, parsePath, changes }: ChangesRoom): HandlerOf<typeof makeDirectory> {
  return async (request, { caller, signal }) => {
    const intent = decodeMakeDirectory(parsePath, request);
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    return carry(gate, subject, intent, signal, async ({ entry, permit, done }) => {
      const { info, created } = await changes.makeDirectory(permit);
      done({ created });
      return { info: replyFile(info), created, entryId: entry };
    });
  };
}
