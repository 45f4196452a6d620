import { Buffer } from "node:buffer";
import type { JsonObject } from "@bufbuild/protobuf";
import type { ExecEvent } from "../client/exec-call.ts";
import type { ExecEnd } from "../client/exec-end.ts";
import type { ExecStartedEvent } from "../client/started-event.ts";
import { exhausted } from "../text/exhausted.ts";

/** An event as a JSON object: `event` names it, bytes are base64 in `data`. */
export function execEventJson(event: ExecEvent): JsonObject {
  switch (event.kind) {
    case "started":
      return { event: "started", pid: event.pid, entryId: event.entryId, ...insteadJson(event) };
    case "stdout":
    case "stderr":
      return { event: event.kind, data: Buffer.from(event.data).toString("base64") };
    case "exit":
      return execEndJson(event);
    default:
      return exhausted(event);
  }
}

function insteadJson({ instead }: ExecStartedEvent): JsonObject {
  if (instead === undefined) return {};
  return { instead: "argv" in instead ? { argv: [...instead.argv] } : instead };
}

/** The end of a command likewise. */
export function execEndJson(end: ExecEnd): JsonObject {
  return {
    event: "exit",
    code: end.code ?? null,
    signal: end.signal ?? null,
    durationMs: end.durationMs,
    truncated: end.truncated,
    limit: end.limit,
    hint: end.hint,
    usage: { ...end.usage },
  };
}
