import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { ListAction, ReadAction, StatAction, WriteAction } from "../../../src/model/action.ts";
import type { FileVersion, WriteDisposition } from "../../../src/model/intent.ts";
import type { FolderListing } from "../../../src/files/list-folder.ts";
import type { FileWritten } from "../../../src/files/write-file.ts";
import type { FileReading } from "../../../src/files/read-file.ts";
import { chunksOf, never, permitFor, type Workspace } from "./workspace.ts";

export interface WriteChoices {
  readonly disposition?: WriteDisposition;
  readonly makeParents?: boolean;
  readonly mode?: number;
  readonly signal?: AbortSignal;
  readonly ifMatch?: FileVersion;
  readonly hash?: boolean;
}

export function writeTo(
  { files }: Workspace,
  path: AbsolutePath,
  data: string | AsyncIterable<Uint8Array>,
  { disposition = "overwrite", makeParents = false, mode = 0o644, signal = never, ...more }: WriteChoices = {},
): Promise<FileWritten> {
  const chunks = typeof data === "string" ? chunksOf(data) : data;
  return files.write(
    permitFor<WriteAction>({ kind: "write", path, disposition, makeParents, mode, ...more }),
    chunks,
    signal,
  );
}

export function openFor(
  { files }: Workspace,
  path: AbsolutePath,
  offset = 0,
  length = 0,
  more: Partial<ReadAction> = {},
): Promise<FileReading> {
  return files.read(permitFor<ReadAction>({ kind: "read", path, offset, length, ...more }), never);
}

export async function readText(workspace: Workspace, path: AbsolutePath, offset = 0, length = 0): Promise<string> {
  const reading = await openFor(workspace, path, offset, length);
  const parts: Uint8Array[] = [];
  for await (const chunk of reading.chunks) parts.push(chunk);
  return Buffer.concat(parts).toString("utf8");
}

export function statOf({ files }: Workspace, path: AbsolutePath, more: Partial<StatAction> = {}) {
  return files.stat(permitFor<StatAction>({ kind: "stat", path, ...more }), never);
}

export function listOf(
  { files, below }: Workspace,
  path: AbsolutePath,
  limit = 1000,
  more: Partial<ListAction> = {},
): Promise<FolderListing> {
  return files.list(permitFor<ListAction>({ kind: "list", path, limit, ...more }), below, never);
}
