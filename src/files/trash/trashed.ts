import { parseAbsolutePath, type AbsolutePath } from "../../model/absolute-path.ts";
import { type AgentId, parseAgentId } from "../../model/ids.ts";
import type { FileKind } from "../file-info.ts";

/** What lies in the trash. */
export interface Trashed {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** Where it was. */
  readonly path: AbsolutePath;
  readonly kind: FileKind;
  /** Files, folders and links. */
  readonly entries: number;
  /** Bytes of the files. */
  readonly bytes: number;
  readonly agent: AgentId;
  readonly removedAt: Date;
}

/** A folder of the trash is named so. */
export const trashId = /^[0-9a-f]{32}$/;

const kinds: readonly FileKind[] = ["file", "folder", "symlink", "other"];

/** What is written beside a removed entry. Paths that are no UTF-8 stay exact (JSON escapes their surrogates). */
export function trashedText({ path, kind, entries, bytes, agent, removedAt }: Trashed): string {
  return JSON.stringify({ path, kind, entries, bytes, agent, removedAt: removedAt.toISOString() });
}

/** Reads it back; undefined where it is not whole. */
export function parseTrashed(id: string, text: string): Trashed | undefined {
  const found = jsonOf(text);
  if (typeof found !== "object" || found === null) return undefined;
  const value = (key: string): unknown => Reflect.get(found, key);
  const path = parseAbsolutePath(String(value("path")));
  const kind = kinds.find((each) => each === value("kind"));
  const agent = parseAgentId(String(value("agent")));
  const removedAt = new Date(String(value("removedAt")));
  const [entries, bytes] = [value("entries"), value("bytes")];
  if (path === undefined || kind === undefined || agent === undefined || Number.isNaN(removedAt.getTime()))
    return undefined;
  if (typeof entries !== "number" || typeof bytes !== "number") return undefined;
  return { id, path, kind, entries, bytes, agent, removedAt };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
