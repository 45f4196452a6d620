import type { MessageInitShape } from "@bufbuild/protobuf";
import { FilesService, type FilesServiceWatchResponseSchema } from "../../gen/sallyport/v1/files_pb.ts";
import type { EntryId } from "../../model/ids.ts";
import { belowFor, verdictFor } from "../below-for.ts";
import { carryStream } from "../carry.ts";
import { decodeWatch } from "../decode/tree-requests.ts";
import type { HandlerOf } from "../glue/handler.ts";
import { type Route, serverStream } from "../glue/route.ts";
import { watched } from "../glue/watched.ts";
import { provenDoor } from "../glue/wiring.ts";
import type { Ports } from "../ports.ts";
import type { WatchChange } from "../ports/trees.ts";
import { replyPath } from "../reply/reply-file.ts";
import { sessionOf } from "../session-of.ts";
import { changeKindNumbers, fileKindNumbers } from "../words.ts";

type WatchRoom = Pick<Ports, "gate" | "sessions" | "parsePath" | "trees" | "entries">;

const { watch } = FilesService.method;

/** Changes below a folder. */
export function filesWatchRoutes(room: WatchRoom): readonly Route[] {
  return [serverStream(provenDoor, watch, watchOf(room))];
}

function watchOf({ gate, sessions, parsePath, trees, entries }: WatchRoom): HandlerOf<typeof watch> {
  return async function* (request, context) {
    const intent = decodeWatch(parsePath, request);
    const { subject } = await sessionOf(sessions, context.caller, "session_id", request.sessionId);
    yield* carryStream(gate, subject, intent, context.signal, async function* ({ entry, permit, done }) {
      let changes = 0;
      const source = (signal: AbortSignal): AsyncIterable<WatchChange> =>
        trees.watch(permit, belowFor(entries, subject), verdictFor(entries, subject), signal);
      for await (const change of watched(context, source)) {
        if (change.kind !== "ready") changes += 1;
        done({ changes });
        yield reply(change, entry);
      }
    });
  };
}

function reply(change: WatchChange, entryId: EntryId): MessageInitShape<typeof FilesServiceWatchResponseSchema> {
  const kind = changeKindNumbers[change.kind];
  if (change.kind === "ready") return { kind, entryId };
  if (change.kind === "overflow") return { kind, overflow: true };
  const { text: path, bytes: pathBytes } = replyPath(change.path);
  return {
    kind,
    path,
    pathBytes,
    ...(change.kind === "changed" ? { fileKind: fileKindNumbers[change.fileKind] } : {}),
  };
}
