import type {
  CopyAction,
  EditAction,
  EmptyTrashAction,
  MakeDirectoryAction,
  MoveAction,
  RemoveAction,
  RestoreAction,
  WriteAction,
} from "../../model/action.ts";
import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Below, Preview } from "../../model/gate-ports.ts";
import type { AgentId } from "../../model/ids.ts";
import type { Permit } from "../../model/permit.ts";
import type { FileInfo } from "./acting.ts";

/** What is to be changed in a text. */
export type FileEdit =
  /** In order; each sees what those before it made. */
  | { readonly kind: "replacements"; readonly list: readonly Replacement[] }
  /** A unified diff; `fuzz`: lines of context that may differ in each of its parts. */
  | { readonly kind: "patch"; readonly text: string; readonly fuzz: number };

/** One text for another. */
export interface Replacement {
  /** Not empty. */
  readonly oldText: string;
  readonly newText: string;
  /** How often the old text must be there, from 1. */
  readonly count: number;
}

/** What lies in the trash. */
export interface Trashed {
  readonly id: string;
  /** Where it was. */
  readonly path: AbsolutePath;
  readonly kind: FileInfo["kind"];
  readonly entries: number;
  readonly bytes: number;
  readonly agent: AgentId;
  readonly removedAt: Date;
}

/** How many bytes each agent may have read and written in one day. */
export interface FileBudget {
  /** @throws Problem `resource_exhausted` where none are left. */
  left(agent: AgentId): number;
  /** Counts bytes before they move. @throws Problem `resource_exhausted` where fewer are left. */
  spend(agent: AgentId, bytes: number): void;
}

/** Changes of files and folders, whole or not at all. All throw Problem. */
export interface FileChanges {
  /** `basis`: hash of the content that a person saw it planned on; undefined: nobody was asked. `spend` is told of bytes before they are written. */
  edit(
    permit: Permit<EditAction>,
    edit: FileEdit,
    how: { readonly basis: string | undefined; readonly spend: (bytes: number) => void },
    signal: AbortSignal,
  ): Promise<{
    readonly info: FileInfo;
    readonly diff: { readonly text: string; readonly truncated: boolean };
    readonly bytes: number;
  }>;
  /** Returns how many files and folders moved. */
  move(permit: Permit<MoveAction>, below: Below, signal: AbortSignal): Promise<number>;
  copy(
    permit: Permit<CopyAction>,
    below: Below,
    spend: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<{ readonly entries: number; readonly bytes: number }>;
  remove(permit: Permit<RemoveAction>, agent: AgentId, signal: AbortSignal): Promise<Trashed>;
  makeDirectory(permit: Permit<MakeDirectoryAction>): Promise<{ readonly info: FileInfo; readonly created: boolean }>;
  restore(permit: Permit<RestoreAction>, below: Below, signal: AbortSignal): Promise<FileInfo>;
  /** Deletes for good. Returns the entries that went. */
  emptyTrash(permit: Permit<EmptyTrashAction>): Promise<readonly Trashed[]>;
  /** What a person is shown of a change, for those who may answer only. All throw Problem where the change can only fail. */
  previewEdit(path: AbsolutePath, edit: FileEdit): Promise<Preview & { readonly basis: string }>;
  /** `field` names the path where it fails. */
  previewTree(field: string, path: AbsolutePath, signal: AbortSignal): Promise<Preview>;
  previewWrite(action: WriteAction, head: { readonly bytes: Uint8Array; readonly whole: boolean }): Promise<Preview>;
  /** The newest first. */
  trash(): Promise<readonly (Trashed & { readonly expiresAt: Date })[]>;
}
