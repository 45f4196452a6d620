import { FilesService } from "../../gen/sallyport/v1/files_pb.ts";
import { belowFor } from "../below-for.ts";
import { carryStream } from "../carry.ts";
import { decodeSearch } from "../decode/tree-requests.ts";
import type { HandlerOf } from "../glue/handler.ts";
import { type Route, serverStream } from "../glue/route.ts";
import { provenDoor } from "../glue/wiring.ts";
import type { Ports } from "../ports.ts";
import { replyPath } from "../reply/reply-file.ts";
import { sessionOf } from "../session-of.ts";
import { searchEndNumbers } from "../words.ts";

type SearchRoom = Pick<Ports, "gate" | "sessions" | "parsePath" | "trees" | "entries">;

const { search } = FilesService.method;

/** Searches below a folder. */
export function filesSearchRoutes(room: SearchRoom): readonly Route[] {
  return [serverStream(provenDoor, search, searchOf(room))];
}

function searchOf({ gate, sessions, parsePath, trees, entries }: SearchRoom): HandlerOf<typeof search> {
  return async function* (request, { caller, signal }) {
    const intent = decodeSearch(parsePath, request);
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    yield* carryStream(gate, subject, intent, signal, async function* ({ entry, permit, done }) {
      const searching = trees.search(permit, belowFor(entries, subject), signal);
      let hits = 0;
      for await (const hit of searching.hits) {
        if (!hit.context) hits += 1;
        const { text: path, bytes: pathBytes } = replyPath(hit.path);
        const { line, text, cut, context } = hit;
        yield { path, pathBytes, line, text, cut, context, offset: BigInt(hit.offset), spans: [...hit.spans] };
      }
      const end = searching.end();
      done({ hits, end });
      yield { summary: { hits: BigInt(hits), end: searchEndNumbers[end], entryId: entry } };
    });
  };
}
