import { join } from "node:path";
import { createFileChanges, type FileChanges, type FileChangesOptions } from "../../../src/files/file-changes.ts";
import type { FileEdit } from "../../../src/files/changes/file-edit.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type {
  CopyAction,
  EditAction,
  EmptyTrashAction,
  MakeDirectoryAction,
  MoveAction,
  RemoveAction,
  RestoreAction,
} from "../../../src/model/action.ts";
import type { Below } from "../../../src/model/gate-ports.ts";
import { type AgentId, parseAgentId } from "../../../src/model/ids.ts";
import { never, permitFor, type Workspace } from "./workspace.ts";

export function agentOf(name: string): AgentId {
  const agent = parseAgentId(name);
  if (agent === undefined) throw new Error(`no agent's name: ${name}`);
  return agent;
}

/** Everything may be read. */
export const readAll: Below = () => () => "allow";

export type Limits = Partial<Pick<FileChangesOptions, "maxFileBytes" | "maxEntries">> &
  Partial<Pick<FileChangesOptions["trash"], "retentionMs" | "maxBytes" | "clock">> & {
    readonly folders?: readonly string[];
  };

export function trashOf({ journal }: Workspace): string {
  return join(journal, "..", "trash");
}

/** The changing half of a workspace's file service; troubles are collected. */
export function changesOf(workspace: Workspace, limits: Limits = {}): FileChanges & { readonly troubles: unknown[] } {
  const troubles: unknown[] = [];
  const { maxFileBytes = 1 << 30, maxEntries = 10_000, folders = [trashOf(workspace)], ...trash } = limits;
  const changes = createFileChanges({
    journal: workspace.journal as AbsolutePath,
    trash: {
      folders: folders as AbsolutePath[],
      retentionMs: 60_000,
      maxBytes: 1 << 30,
      clock: () => new Date(),
      ...trash,
    },
    maxFileBytes,
    maxEntries,
    onTrouble: (error) => troubles.push(error),
  });
  return Object.assign(changes, { troubles });
}

type Choices = { readonly overwrite?: boolean; readonly below?: Below; readonly signal?: AbortSignal };

export function moveTo(
  changes: FileChanges,
  from: AbsolutePath,
  to: AbsolutePath,
  { overwrite = false, below = readAll, signal = never }: Choices = {},
) {
  return changes.move(permitFor<MoveAction>({ kind: "move", from, to, overwrite }), below, signal);
}

export function copyTo(
  changes: FileChanges,
  from: AbsolutePath,
  to: AbsolutePath,
  {
    overwrite = false,
    recursive = false,
    below = readAll,
    spend = () => undefined,
    signal = never,
  }: Choices & { recursive?: boolean; spend?: (bytes: number) => void } = {},
) {
  return changes.copy(permitFor<CopyAction>({ kind: "copy", from, to, overwrite, recursive }), below, spend, signal);
}

export function removeAt(changes: FileChanges, path: AbsolutePath, recursive = false, signal = never) {
  return changes.remove(permitFor<RemoveAction>({ kind: "remove", path, recursive }), agentOf("bot"), signal);
}

export function makeAt(changes: FileChanges, path: AbsolutePath, parents = false, mode = 0o755) {
  return changes.makeDirectory(permitFor<MakeDirectoryAction>({ kind: "make-directory", path, parents, mode }));
}

export function restoreTo(changes: FileChanges, id: string, path: AbsolutePath, original = path, below = readAll) {
  const permit = permitFor<RestoreAction>({ kind: "restore", id, path, original, folder: false });
  return changes.restore(permit, below, never);
}

export function editAt(changes: FileChanges, path: AbsolutePath, edit: FileEdit, basis?: string) {
  return changes.edit(
    permitFor<EditAction>({ kind: "edit", path, change: "0".repeat(64) }),
    edit,
    { basis, spend: () => undefined },
    never,
  );
}

export function replaced(oldText: string, newText: string, count = 1): FileEdit {
  return { kind: "replacements", list: [{ oldText, newText, count }] };
}

export function emptyOf(changes: FileChanges, ...ids: readonly string[]) {
  const entries = ids.map((id) => ({ id, path: "/" as AbsolutePath, folder: false }));
  return changes.emptyTrash(permitFor<EmptyTrashAction>({ kind: "empty-trash", entries }));
}
