import { Buffer } from "node:buffer";
import type { DescMessage, JsonObject, MessageShape } from "@bufbuild/protobuf";
import { messageJson } from "./output.ts";

/** A part of a stream as a JSON object: `event` names it, beside the message's own fields. */
export function messageEvent<M extends DescMessage>(event: string, schema: M, message: MessageShape<M>): JsonObject {
  const json = messageJson(schema, message);
  return typeof json === "object" && json !== null && !Array.isArray(json)
    ? { event, ...json }
    : { event, value: json };
}

/** Bytes of a stream as a JSON object: base64 in `data`. */
export function dataEvent(data: Uint8Array): JsonObject {
  return { event: "data", data: Buffer.from(data).toString("base64") };
}
