import { FilesService, type WriteRequest } from "../../gen/sallyport/v1/files_pb.ts";
import { invalid } from "../../model/problem.ts";
import { carry, carryStream } from "../carry.ts";
import { decodeList, decodePart, decodeRead, decodeStat, decodeWriteStart } from "../decode/file-requests.ts";
import type { HandlerOf } from "../glue/handler.ts";
import { clientStream, type Route, serverStream, unary } from "../glue/route.ts";
import { provenDoor } from "../glue/wiring.ts";
import type { Ports } from "../ports.ts";
import { peeked } from "../peeked.ts";
import { replyFile } from "../reply/reply-file.ts";
import { withinAnswer } from "../reply/within-answer.ts";
import { belowFor } from "../below-for.ts";
import { contentKindNumbers } from "../words.ts";
import { sessionOf } from "../session-of.ts";
import { withinBudget } from "../spend-for.ts";

type FilesRoom = Pick<Ports, "gate" | "sessions" | "parsePath" | "files" | "changes" | "entries" | "budget">;

const { read, write, stat, list } = FilesService.method;

/** Files of the granted folders. */
export function filesRoutes(room: FilesRoom): readonly Route[] {
  return [
    serverStream(provenDoor, read, readOf(room)),
    clientStream(provenDoor, write, writeOf(room)),
    unary(provenDoor, stat, statOf(room)),
    unary(provenDoor, list, listOf(room)),
  ];
}

function readOf({ gate, sessions, parsePath, files, budget }: FilesRoom): HandlerOf<typeof read> {
  return async function* (request, { caller, signal }) {
    const intent = decodeRead(parsePath, request);
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    yield* carryStream(gate, subject, intent, signal, async function* ({ entry, permit, done }) {
      const reading = await files.read(permit, signal);
      let bytes = 0;
      try {
        const { kind, encoding } = reading.content;
        const header = { info: replyFile(reading.info), entryId: entry, content: contentKindNumbers[kind], encoding };
        yield { part: { case: "header" as const, value: header } };
        for await (const data of withinBudget(budget, subject, reading.chunks)) {
          bytes += data.length;
          yield { part: { case: "data" as const, value: data } };
        }
      } finally {
        reading.close();
      }
      const { truncated, endOfFile, lines, sha256 } = reading.end();
      done({ bytes, truncated });
      const counts = { bytes: BigInt(bytes), lines: BigInt(lines) };
      const trailer = { ...counts, truncated, endOfFile, sha256: sha256 ?? new Uint8Array() };
      yield { part: { case: "trailer" as const, value: trailer } };
    });
  };
}

/** Bytes of a content that is waited for before a person is asked about it. */
const previewBytes = 65_536;

function writeOf({ gate, sessions, parsePath, files, changes, budget }: FilesRoom): HandlerOf<typeof write> {
  return async (requests, { caller, signal }) => {
    const steps = requests[Symbol.asyncIterator]();
    const first = await steps.next();
    if (first.done === true || first.value.part.case !== "start") throw invalid("start", "must be the first message");
    const start = first.value.part.value;
    const intent = decodeWriteStart(parsePath, "start", start);
    const { subject } = await sessionOf(sessions, caller, "start.session_id", start.sessionId);
    const content = peeked(dataOf(steps));
    return carry(
      gate,
      subject,
      intent,
      signal,
      async ({ entry, permit, done }) => {
        const { info, bytes } = await files.write(permit, withinBudget(budget, subject, content.chunks), signal);
        done({ bytes });
        return { info: replyFile(info), bytes: BigInt(bytes), entryId: entry };
      },
      async ({ action }) => changes.previewWrite(action, await content.peek(previewBytes, signal)),
    );
  };
}

async function* dataOf(steps: AsyncIterator<WriteRequest>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return;
    const { part } = next.value;
    if (part.case === "start") throw invalid("start", "was sent before");
    if (part.case === undefined) throw invalid("part", "must be set");
    yield decodePart("data", part.value);
  }
}

function statOf({ gate, sessions, parsePath, files }: FilesRoom): HandlerOf<typeof stat> {
  return async (request, { caller, signal }) => {
    const intent = decodeStat(parsePath, request);
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    return carry(gate, subject, intent, signal, async ({ permit }) => ({
      info: replyFile(await files.stat(permit, signal)),
    }));
  };
}

function listOf({ gate, sessions, parsePath, files, entries: judge }: FilesRoom): HandlerOf<typeof list> {
  return async (request, { caller, signal }) => {
    const intent = decodeList(parsePath, request);
    const { subject } = await sessionOf(sessions, caller, "session_id", request.sessionId);
    return carry(gate, subject, intent, signal, async ({ permit, done }) => {
      const { entries, truncated, cursorAfter } = await files.list(permit, belowFor(judge, subject), signal);
      const fitting = withinAnswer(entries, ({ name }) => name.length * (name.isWellFormed() ? 3 : 6) + 130);
      done({ entries: fitting.length });
      const more = truncated || fitting.length < entries.length;
      return {
        entries: fitting.map(replyFile),
        truncated: more,
        nextCursor: more ? cursorAfter(fitting.at(-1)) : "",
      };
    });
  };
}
