import { Buffer } from "node:buffer";
import type { JsonValue } from "@bufbuild/protobuf";
import type { ExecEvent } from "../client/exec-call.ts";
import { exhausted } from "../text/exhausted.ts";

/** An event as a JSON object: `event` names it, bytes are base64 in `data`. */
export function execEventJson(event: ExecEvent): JsonValue {
  switch (event.kind) {
    case "started":
      return { event: "started", pid: event.pid, entryId: event.entryId };
    case "stdout":
    case "stderr":
      return { event: event.kind, data: Buffer.from(event.data).toString("base64") };
    case "exit":
      return {
        event: "exit",
        code: event.code ?? null,
        signal: event.signal ?? null,
        durationMs: event.durationMs,
        truncated: event.truncated,
        limit: event.limit,
        usage: { ...event.usage },
      };
    default:
      return exhausted(event);
  }
}
