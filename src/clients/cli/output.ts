import { once } from "node:events";
import type { Writable } from "node:stream";
import { toJson, type DescMessage, type JsonValue, type MessageShape } from "@bufbuild/protobuf";

/** Thrown where the reader of our output has gone away: the command ends quietly. */
export class PipeClosed extends Error {
  constructor() {
    super("the reader of the output is gone");
    this.name = "PipeClosed";
  }
}

/** One output stream with back-pressure. Every method resolves when there is room for more. @throws PipeClosed */
export interface Output {
  bytes(data: Uint8Array): Promise<void>;
  lines(lines: readonly string[]): Promise<void>;
  /** One JSON object on one line. Characters that a terminal would obey are written as `\u` escapes. */
  json(value: JsonValue): Promise<void>;
  /** A message in the JSON mapping of proto3, all fields present. */
  message<M extends DescMessage>(schema: M, message: MessageShape<M>): Promise<void>;
}

/** Wraps a standard stream. */
export function output(stream: Writable): Output {
  let failure: Error | undefined;
  // Stays for good: a write that fails after its caller has gone on must not end the process with a stack trace.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    failure = error.code === "EPIPE" ? new PipeClosed() : error;
  });
  async function bytes(data: Uint8Array | string): Promise<void> {
    if (failure === undefined && !stream.write(data)) await once(stream, "drain").catch(() => {});
    if (failure !== undefined) throw failure;
  }
  const json = (value: JsonValue): Promise<void> => bytes(`${jsonLine(value)}\n`);
  return {
    bytes,
    lines: (lines) => (lines.length === 0 ? Promise.resolve() : bytes(`${lines.join("\n")}\n`)),
    json,
    message: (schema, message) => json(messageJson(schema, message)),
  };
}

/** A message in the JSON mapping of proto3, all fields present. */
export function messageJson<M extends DescMessage>(schema: M, message: MessageShape<M>): JsonValue {
  return toJson(schema, message, { alwaysEmitImplicit: true });
}

function jsonLine(value: JsonValue): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
