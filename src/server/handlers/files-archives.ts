import { FilesService, type UploadRequest } from "../../gen/sallyport/v1/files_pb.ts";
import { invalid } from "../../model/problem.ts";
import { belowFor } from "../below-for.ts";
import { carry, carryStream } from "../carry.ts";
import { decodePart } from "../decode/file-requests.ts";
import { decodeDownload, decodeUploadStart } from "../decode/tree-requests.ts";
import type { HandlerOf } from "../glue/handler.ts";
import { clientStream, type Route, serverStream } from "../glue/route.ts";
import { provenDoor } from "../glue/wiring.ts";
import type { Ports } from "../ports.ts";
import { replyFile } from "../reply/reply-file.ts";
import { replyLeftOut } from "../reply/reply-left-out.ts";
import { sessionOf } from "../session-of.ts";
import { withinBudget } from "../spend-for.ts";

type ArchivesRoom = Pick<Ports, "gate" | "sessions" | "parsePath" | "trees" | "entries" | "budget">;

const { upload, download } = FilesService.method;

/** Folders as tar archives. */
export function filesArchivesRoutes(room: ArchivesRoom): readonly Route[] {
  return [clientStream(provenDoor, upload, uploadOf(room)), serverStream(provenDoor, download, downloadOf(room))];
}

function uploadOf({ gate, sessions, parsePath, trees, entries, budget }: ArchivesRoom): HandlerOf<typeof upload> {
  return async (requests, { caller, signal }) => {
    const steps = requests[Symbol.asyncIterator]();
    const first = await steps.next();
    if (first.done === true || first.value.part.case !== "start") throw invalid("start", "must be the first message");
    const start = first.value.part.value;
    const intent = decodeUploadStart(parsePath, "start", start);
    const { subject } = await sessionOf(sessions, caller, "start.session_id", start.sessionId);
    return carry(gate, subject, intent, signal, async ({ entry, permit, done }) => {
      const chunks = withinBudget(budget, subject, dataOf(steps));
      const { files, folders, links, bytes, leftOut } = await trees.upload(
        permit,
        belowFor(entries, subject),
        chunks,
        signal,
      );
      done({ files, folders, links, bytes, leftOut: leftOut.count });
      return {
        files: BigInt(files),
        folders: BigInt(folders),
        links: BigInt(links),
        bytes: BigInt(bytes),
        ...replyLeftOut(leftOut),
        entryId: entry,
      };
    });
  };
}

async function* dataOf(steps: AsyncIterator<UploadRequest>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return;
    const { part } = next.value;
    if (part.case === "start") throw invalid("start", "was sent before");
    if (part.case === undefined) throw invalid("part", "must be set");
    yield decodePart("data", part.value);
  }
}

function downloadOf({
  gate,
  sessions,
  parsePath,
  trees,
  entries: judge,
  budget,
}: ArchivesRoom): HandlerOf<typeof download> {
  return async function* (request, { caller, signal }) {
    const intent = decodeDownload(parsePath, request);
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    yield* carryStream(gate, subject, intent, signal, async function* ({ entry, permit, done }) {
      const { info, chunks, end } = trees.download(permit, belowFor(judge, subject), signal);
      yield { part: { case: "header" as const, value: { info: replyFile(info), entryId: entry } } };
      for await (const data of withinBudget(budget, subject, chunks))
        yield { part: { case: "data" as const, value: data } };
      const { entries, bytes, leftOut } = end();
      done({ entries, bytes, leftOut: leftOut.count });
      const trailer = { entries: BigInt(entries), bytes: BigInt(bytes), ...replyLeftOut(leftOut) };
      yield { part: { case: "trailer" as const, value: trailer } };
    });
  };
}
