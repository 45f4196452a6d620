import { createHash } from "node:crypto";
import type { ListAction } from "../model/action.ts";
import { exhausted } from "../model/exhausted.ts";
import type { FileSort } from "../model/intent.ts";
import { invalid } from "../model/problem.ts";
import type { FileInfo } from "./file-info.ts";

/** Where a page ended: the last entry's name, and what else its place in the order hangs on. */
export interface ListKey {
  readonly name: string;
  /** The size, or the time of the last change; empty in the order of names. */
  readonly value: string;
}

/** A page's end as a text that a caller can hand back. It says which question it belongs to, and gives no right: it only cuts an answer. */
export function encodeCursor(action: ListAction, { name, value }: ListKey): string {
  return Buffer.from(JSON.stringify([questionOf(action), name, value])).toString("base64url");
}

/** Reads a cursor. @throws Problem `invalid_argument` where it is none, or belongs to another question */
export function decodeCursor(action: ListAction): ListKey | undefined {
  if (action.cursor === undefined) return undefined;
  const [question, name, value] = parse(action.cursor);
  if (question !== questionOf(action) || typeof name !== "string" || typeof value !== "string")
    throw invalid("cursor", "does not belong to this list");
  return { name, value };
}

/** What an entry is ordered by. */
export function keyOf(sort: FileSort, info: FileInfo): ListKey {
  switch (sort) {
    case "name":
      return { name: info.name, value: "" };
    case "size":
      return { name: info.name, value: String(info.size) };
    case "modified":
      return { name: info.name, value: info.modifiedAt };
    default:
      return exhausted(sort);
  }
}

/** Negative where `a` comes first, rising. Equal values are ordered by name, a folder right before what is in it. */
export function compareKeys(sort: FileSort, a: ListKey, b: ListKey): number {
  if (sort === "size" && a.value !== b.value) return Number(a.value) - Number(b.value);
  // RFC 3339 in UTC with a fixed number of digits: the order of the texts is that of the times.
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  const [left, right] = [orderOf(a.name), orderOf(b.name)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A slash counts as less than any character of a name. */
function orderOf(name: string): string {
  return name.replaceAll("/", "\0");
}

function questionOf({ path, depth = 1, honorIgnoreFiles = false, order }: ListAction): string {
  const asked = JSON.stringify([path, depth, honorIgnoreFiles, order?.by ?? "name", order?.descending ?? false]);
  return createHash("sha256").update(asked).digest("base64url").slice(0, 16);
}

function parse(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
