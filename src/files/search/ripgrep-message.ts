import type { Span } from "./search-hit.ts";

/** What ripgrep says it found: nothing of it is believed before it was looked up. */
export interface Candidate {
  /** The path as ripgrep writes it, below its working folder. */
  readonly path: Buffer;
  readonly line: number;
  readonly offset: number;
  /** The whole line. */
  readonly bytes: Buffer;
  readonly context: boolean;
  readonly spans: readonly Span[];
}

/** Reads one line of `rg --json`. `summary` for the last one, undefined for lines that hold no hit or cannot be read. */
export function parseRipgrepMessage(line: string): Candidate | "summary" | undefined {
  const message = objectOf(parse(line));
  const type = message?.["type"];
  if (type === "summary") return "summary";
  const data = objectOf(message?.["data"]);
  if (data === undefined || (type !== "match" && type !== "context")) return undefined;
  const path = bytesOf(data["path"]);
  const bytes = bytesOf(data["lines"]);
  const number = countOf(data["line_number"]);
  const offset = countOf(data["absolute_offset"]);
  const spans = Array.isArray(data["submatches"]) ? data["submatches"].map(spanOf) : undefined;
  if (path === undefined || bytes === undefined || number === undefined || offset === undefined) return undefined;
  if (spans === undefined || !spans.every((span) => span !== undefined)) return undefined;
  return { path, line: number, offset, bytes, context: type === "context", spans };
}

/** Text where it is UTF-8, base64 where it is not. */
function bytesOf(value: unknown): Buffer | undefined {
  const { text, bytes } = objectOf(value) ?? {};
  if (typeof text === "string") return Buffer.from(text);
  return typeof bytes === "string" ? Buffer.from(bytes, "base64") : undefined;
}

function spanOf(value: unknown): Span | undefined {
  const found = objectOf(value);
  const start = countOf(found?.["start"]);
  const end = countOf(found?.["end"]);
  return start === undefined || end === undefined || end < start ? undefined : { start, end };
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
