import { hash as digest } from "node:crypto";

/**
 * `opened`: a request was allowed and may act. `refused`: it was not. `closed`: how an opened one ended. `abandoned`: nobody saw its
 * end. `answered`: a person settled a question. `note`: something else that is
 * worth a record, such as a start or a change of rules.
 */
export type RecordKind = "opened" | "refused" | "closed" | "abandoned" | "answered" | "note";

const recordKinds: readonly RecordKind[] = ["opened", "refused", "closed", "abandoned", "answered", "note"];

/** One link of the chain. */
export interface AuditRecord {
  /** 1 for the first, without gaps. */
  readonly seq: number;
  /** ISO 8601 in UTC, milliseconds. */
  readonly at: string;
  /** Identifier of the request; empty where the record is about none. */
  readonly entry: string;
  readonly kind: RecordKind;
  readonly agent: string;
  readonly session: string;
  /** `allow` or `deny` where something was decided, otherwise empty. */
  readonly verdict: string;
  /** JSON, redacted and bounded. */
  readonly body: string;
  /** Hash of the record before it; for the first 64 zeros. */
  readonly prev: string;
  /** SHA-256, in hexadecimal, over the canonical form. */
  readonly hash: string;
}

/** What the first record has for a predecessor. */
export const noHash = "0".repeat(64);

/**
 * The hash of a record. Its canonical form is the JSON array of all other columns in the order of the interface, in UTF-8; the body
 * goes in as the text that is stored, so that no order of fields needs agreeing on.
 */
export function hashRecord(record: Omit<AuditRecord, "hash">): string {
  const { seq, at, entry, kind, agent, session, verdict, body, prev } = record;
  const canonical = JSON.stringify([seq, at, entry, kind, agent, session, verdict, body, prev]);
  return digest("sha256", canonical, "hex");
}

/** Reads a row of the store. A column of the wrong type reads as empty, and a kind that is none takes the hash with it: no check holds then. */
export function toRecord(row: Readonly<Record<string, unknown>>): AuditRecord {
  const kind = recordKinds.find((name) => name === row["kind"]);
  return {
    seq: typeof row["seq"] === "number" ? row["seq"] : 0,
    at: text(row["at"]),
    entry: text(row["entry"]),
    kind: kind ?? "note",
    agent: text(row["agent"]),
    session: text(row["session"]),
    verdict: text(row["verdict"]),
    body: text(row["body"]),
    prev: text(row["prev"]),
    hash: kind === undefined ? "" : text(row["hash"]),
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
