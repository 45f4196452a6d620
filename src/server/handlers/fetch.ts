import { type FetchSpec, FetchService } from "../../gen/sallyport/v1/fetch_pb.ts";
import type { FetchAction } from "../../model/action.ts";
import type { EntryId } from "../../model/ids.ts";
import type { FetchIntent } from "../../model/intent.ts";
import type { Subject } from "../../model/subject.ts";
import { type Carriage, carryStream } from "../carry.ts";
import { decodeFetchSpec } from "../decode/fetch-spec.ts";
import type { HandlerOf } from "../glue/handler.ts";
import { type Route, serverStream, unary } from "../glue/route.ts";
import { provenDoor } from "../glue/wiring.ts";
import { Problem } from "../../model/problem.ts";
import type { Admission, FetchHop, FetchResult } from "../ports/acting.ts";
import type { Ports } from "../ports.ts";
import { maxAnswerBytes } from "../reply/within-answer.ts";
import { sessionOf } from "../session-of.ts";
import { type FetchHeader, type FetchPart, sizeOf } from "./fetch-parts.ts";
import { textParts } from "./fetch-text.ts";

type FetchRoom = Pick<Ports, "gate" | "sessions" | "fetcher" | "pages">;

const { get, stream } = FetchService.method;

/** URLs. */
export function fetchRoutes(room: FetchRoom): readonly Route[] {
  return [unary(provenDoor, get, getOf(room)), serverStream(provenDoor, stream, streamOf(room))];
}

function getOf(room: FetchRoom): HandlerOf<typeof get> {
  return async ({ spec }, { caller, signal }) => {
    const wanted = decodeFetchSpec("spec", spec);
    const { subject } = await sessionOf(room.sessions, caller, "spec.session_id", spec?.sessionId ?? "");
    const intent = { ...wanted, maxBytes: Math.min(wanted.maxBytes, maxAnswerBytes) };
    let header: FetchHeader = {};
    const body: Uint8Array[] = [];
    let left = maxAnswerBytes;
    let truncated = false;
    for await (const part of carried(room, subject, intent, asTextOf(spec), signal)) {
      if (part.kind === "header") {
        header = part.header;
        left = Math.max(0, left - part.size);
      } else if (part.kind === "data") {
        // The headers take their share of the answer.
        if (part.data.length > left) truncated = true;
        body.push(part.data.subarray(0, left));
        left = Math.max(0, left - part.data.length);
      } else if (part.kind === "trailer") truncated ||= part.truncated;
    }
    return { header, body: Buffer.concat(body), truncated };
  };
}

function streamOf(room: FetchRoom): HandlerOf<typeof stream> {
  return async function* ({ spec }, { caller, signal }) {
    const intent = decodeFetchSpec("spec", spec);
    const { subject } = await sessionOf(room.sessions, caller, "spec.session_id", spec?.sessionId ?? "");
    for await (const part of carried(room, subject, intent, asTextOf(spec), signal)) {
      if (part.kind === "header") yield { part: { case: "header" as const, value: part.header } };
      else if (part.kind === "data") yield { part: { case: "data" as const, value: part.data } };
      else if (part.kind === "trailer")
        yield {
          part: { case: "trailer" as const, value: { bytes: BigInt(part.bytes), truncated: part.truncated } },
        };
    }
  };
}

function asTextOf(spec: FetchSpec | undefined): boolean {
  return spec?.asText === true;
}

function carried(
  room: FetchRoom,
  subject: Subject,
  intent: FetchIntent,
  asText: boolean,
  signal: AbortSignal,
): AsyncGenerator<FetchPart> {
  const bodyOf = asText ? textParts : bodyParts;
  return carryStream(room.gate, subject, intent, signal, (carriage) =>
    exchange(room, subject, carriage, signal, (result, header) =>
      bodyOf(room, result, header, intent.maxBytes, signal),
    ),
  );
}

/** The header and the body as it comes. */
async function* bodyParts(_room: FetchRoom, result: FetchResult, header: FetchHeader): AsyncGenerator<FetchPart> {
  yield { kind: "header", header, size: sizeOf(result) };
  for await (const data of result.body) yield { kind: "data", data };
}

/** One fetch with its redirects. Each redirect is admitted, and its entry ends as the whole does. */
async function* exchange(
  { gate, fetcher }: FetchRoom,
  subject: Subject,
  { entry, permit, done }: Carriage<FetchAction>,
  signal: AbortSignal,
  partsOf: (result: FetchResult, header: FetchHeader) => AsyncGenerator<FetchPart>,
): AsyncGenerator<FetchPart> {
  const hops: Admission<FetchAction>[] = [];
  let result: FetchResult | undefined;
  let bytes = 0;
  let ended = false;
  try {
    result = await fetcher.fetch(
      permit,
      async (hop) => {
        const admission = await gate.admit(subject, hop, signal);
        hops.push(admission);
        return admission.permit;
      },
      signal,
    );
    let truncated = false;
    for await (const part of partsOf(result, replyHeader(result, entry))) {
      if (part.kind === "cut") truncated = true;
      else {
        if (part.kind === "data") bytes += part.data.length;
        yield part;
      }
    }
    truncated ||= result.truncated;
    ended = true;
    done({ status: result.status, bytes, hops: result.hops.length, truncated });
    yield { kind: "trailer", bytes, truncated };
  } finally {
    if (!ended) await result?.close();
    for (const hop of hops)
      hop.end(
        ended && result !== undefined
          ? { kind: "done", facts: { status: result.status, bytes } }
          : { kind: "failed", reason: "the fetch did not end well", facts: { bytes } },
      );
  }
}

function replyHeader(result: FetchResult, entry: EntryId): FetchHeader {
  if (result.status < 100 || result.status > 599) throw new Problem("unavailable", `the answer has no valid status`);
  return {
    status: result.status,
    headers: result.headers.map(([name, value]) => ({ name, value: value })),
    finalUrl: result.finalUrl,
    hops: result.hops.map(replyHop),
    entryId: entry,
  };
}

function replyHop({ url, address, status, timings }: FetchHop): NonNullable<FetchHeader["hops"]>[number] {
  const { dnsMs, connectMs, tlsMs, firstByteMs } = timings;
  return {
    url,
    address,
    status,
    timings: {
      dnsUs: microseconds(dnsMs),
      connectUs: microseconds(connectMs),
      tlsUs: microseconds(tlsMs),
      firstByteUs: microseconds(firstByteMs),
    },
  };
}

function microseconds(ms: number): number {
  return Math.round(Math.max(0, ms) * 1000);
}
