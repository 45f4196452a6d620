import type { MessageInitShape } from "@bufbuild/protobuf";
import { FetchService, type FetchHeaderSchema } from "../../gen/sallyport/v1/fetch_pb.ts";
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
import type { Admission, FetchResult } from "../ports/acting.ts";
import type { Ports } from "../ports.ts";
import { maxAnswerBytes } from "../reply/within-answer.ts";
import { sessionOf } from "../session-of.ts";

type FetchRoom = Pick<Ports, "gate" | "sessions" | "fetcher">;

const { get, stream } = FetchService.method;

type Header = MessageInitShape<typeof FetchHeaderSchema>;
type Part =
  | { readonly kind: "header"; readonly header: Header; readonly size: number }
  | { readonly kind: "data"; readonly data: Uint8Array }
  | { readonly kind: "trailer"; readonly bytes: number; readonly truncated: boolean };

/** URLs. */
export function fetchRoutes(room: FetchRoom): readonly Route[] {
  return [unary(provenDoor, get, getOf(room)), serverStream(provenDoor, stream, streamOf(room))];
}

function getOf(room: FetchRoom): HandlerOf<typeof get> {
  return async ({ spec }, { caller, signal }) => {
    const wanted = decodeFetchSpec("spec", spec);
    const { subject } = await sessionOf(room.sessions, caller, "spec.session_id", spec?.sessionId ?? "");
    const intent = { ...wanted, maxBytes: Math.min(wanted.maxBytes, maxAnswerBytes) };
    let header: Header = {};
    const body: Uint8Array[] = [];
    let left = maxAnswerBytes;
    let truncated = false;
    for await (const part of carried(room, subject, intent, signal)) {
      if (part.kind === "header") {
        header = part.header;
        left = Math.max(0, left - part.size);
      } else if (part.kind === "data") {
        // The headers take their share of the answer.
        if (part.data.length > left) truncated = true;
        body.push(part.data.subarray(0, left));
        left = Math.max(0, left - part.data.length);
      } else truncated ||= part.truncated;
    }
    return { header, body: Buffer.concat(body), truncated };
  };
}

function streamOf(room: FetchRoom): HandlerOf<typeof stream> {
  return async function* ({ spec }, { caller, signal }) {
    const intent = decodeFetchSpec("spec", spec);
    const { subject } = await sessionOf(room.sessions, caller, "spec.session_id", spec?.sessionId ?? "");
    for await (const part of carried(room, subject, intent, signal)) {
      if (part.kind === "header") yield { part: { case: "header" as const, value: part.header } };
      else if (part.kind === "data") yield { part: { case: "data" as const, value: part.data } };
      else
        yield {
          part: { case: "trailer" as const, value: { bytes: BigInt(part.bytes), truncated: part.truncated } },
        };
    }
  };
}

function carried(room: FetchRoom, subject: Subject, intent: FetchIntent, signal: AbortSignal): AsyncGenerator<Part> {
  return carryStream(room.gate, subject, intent, signal, (carriage) => exchange(room, subject, carriage, signal));
}

/** One fetch with its redirects. Each redirect is admitted, and its entry ends as the whole does. */
async function* exchange(
  { gate, fetcher }: FetchRoom,
  subject: Subject,
  { entry, permit, done }: Carriage<FetchAction>,
  signal: AbortSignal,
): AsyncGenerator<Part> {
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
    const header = replyHeader(result, entry);
    yield { kind: "header", header, size: sizeOf(result) };
    for await (const data of result.body) {
      bytes += data.length;
      yield { kind: "data", data };
    }
    ended = true;
    done({ status: result.status, bytes, hops: result.hops.length, truncated: result.truncated });
    yield { kind: "trailer", bytes, truncated: result.truncated };
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

function replyHeader(result: FetchResult, entry: EntryId): Header {
  if (result.status < 100 || result.status > 599) throw new Problem("unavailable", `the answer has no valid status`);
  return {
    status: result.status,
    headers: result.headers.map(([name, value]) => ({ name, value: value })),
    finalUrl: result.finalUrl,
    hops: result.hops.map(({ url, address, status }) => ({ url, address, status })),
    entryId: entry,
  };
}

/** An upper bound of the header's bytes. */
function sizeOf({ headers, hops, finalUrl }: FetchResult): number {
  let units = finalUrl.length;
  for (const [name, value] of headers) units += name.length + value.length + 8;
  for (const hop of hops) units += hop.url.length + hop.address.length + 16;
  return units * 3 + 1024;
}
