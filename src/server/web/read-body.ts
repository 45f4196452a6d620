import type { IncomingMessage } from "node:http";

/** Reads a request's body as JSON; `too-large` where it is longer than `maxBytes`, undefined where it is no JSON object. The listener bounds how long it may take. */
export async function readJsonBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Readonly<Record<string, unknown>> | "too-large" | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) return "too-large";
    parts.push(part);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
