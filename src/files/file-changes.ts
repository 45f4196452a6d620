import type {
  CopyAction,
  EditAction,
  EmptyTrashAction,
  MakeDirectoryAction,
  MoveAction,
  RemoveAction,
  RestoreAction,
  WriteAction,
} from "../model/action.ts";
import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Below, Preview } from "../model/gate-ports.ts";
import type { AgentId } from "../model/ids.ts";
import { Permit } from "../model/permit.ts";
import type { ChangeParts } from "./changes/change-parts.ts";
import { copyEntry } from "./changes/copy-entry.ts";
import { editFile, type FileEdited } from "./changes/edit-file.ts";
import type { FileEdit } from "./changes/file-edit.ts";
import { makeDirectory, type MadeDirectory } from "./changes/make-directory.ts";
import { moveEntry } from "./changes/move-entry.ts";
import { previewEdit } from "./changes/preview-edit.ts";
import { previewTree } from "./changes/preview-tree.ts";
import { previewWrite, type Head } from "./changes/preview-write.ts";
import { removeEntry } from "./changes/remove-entry.ts";
import { restoreEntry } from "./changes/restore-entry.ts";
import type { FileInfo } from "./file-info.ts";
import { createTempJournal } from "./temp-journal.ts";
import type { Copied } from "./tree/copy-tree.ts";
import { createTrash, type TrashOptions } from "./trash/trash.ts";
import { trashSet } from "./trash/trash-set.ts";
import type { Trashed } from "./trash/trashed.ts";

/** What the changing half of the file service is made of. */
export interface FileChangesOptions {
  /** The folder for the notes about temporary files; the one of {@link createFiles}, whose sweep cleans up for both. */
  readonly journal: AbsolutePath;
  /** What removed files are kept by; they go to the folder on their own file system, otherwise to the first. */
  readonly trash: Omit<TrashOptions, "folder"> & { readonly folders: readonly AbsolutePath[] };
  /** Bytes of one file. */
  readonly maxFileBytes: number;
  /** Files and folders of one request. */
  readonly maxEntries: number;
  /** Told of what could not be deleted for good; the next try may. */
  readonly onTrouble: (error: unknown) => void;
}

/** An entry of the trash, and when it goes for good at the latest. */
export interface TrashListing extends Trashed {
  readonly expiresAt: Date;
}

/** Told of bytes before they are written for an agent. What it throws ends the change. */
export type Spend = (bytes: number) => void;

/** What an edit needs beside what is to be changed. */
export interface EditMeans {
  /** Hash of the content that a person saw it planned on; undefined: nobody was asked. */
  readonly basis: string | undefined;
  readonly spend: Spend;
}

/** Changes of files and folders: whole or not at all. Each method throws Problem; `aborted` means that something is not what it was when it was judged. */
export interface FileChanges {
  edit(permit: Permit<EditAction>, edit: FileEdit, how: EditMeans, signal: AbortSignal): Promise<FileEdited>;
  /** Returns how many files and folders moved. */
  move(permit: Permit<MoveAction>, below: Below, signal: AbortSignal): Promise<number>;
  copy(permit: Permit<CopyAction>, below: Below, spend: Spend, signal: AbortSignal): Promise<Copied>;
  /** Moves to the trash, for an agent. */
  remove(permit: Permit<RemoveAction>, agent: AgentId, signal: AbortSignal): Promise<Trashed>;
  makeDirectory(permit: Permit<MakeDirectoryAction>): Promise<MadeDirectory>;
  restore(permit: Permit<RestoreAction>, below: Below, signal: AbortSignal): Promise<FileInfo>;
  /** Deletes for good. Returns the entries that went. */
  emptyTrash(permit: Permit<EmptyTrashAction>): Promise<readonly Trashed[]>;
  /**
   * What a person is shown of a change, without a permit: it is for those who may answer only. `previewTree` is for what goes as a whole: a removal, a move, a copy of a folder.
   */
  previewEdit(path: AbsolutePath, edit: FileEdit): Promise<Preview & { readonly basis: string }>;
  previewTree(field: string, path: AbsolutePath, signal: AbortSignal): Promise<Preview>;
  previewWrite(action: WriteAction, head: Head): Promise<Preview>;
  /** The newest first. */
  trash(): Promise<readonly TrashListing[]>;
  /** Deletes for good what is too old or too much, now and every hour. */
  start(): void;
  stop(): void;
}

const hourMs = 3_600_000;

/** Makes the changing half of the file service. */
export function createFileChanges(options: FileChangesOptions): FileChanges {
  const { maxFileBytes, maxEntries, onTrouble } = options;
  const journal = createTempJournal(options.journal);
  const { folders, ...rules } = options.trash;
  const trash = trashSet(folders.map((folder) => createTrash({ ...rules, folder })));
  let timer: NodeJS.Timeout | undefined;

  /** What is moved, removed and restored is not counted, also where that takes a copy. */
  function partsFor(signal: AbortSignal, spend: Spend = () => undefined): ChangeParts {
    return { journal, maxFileBytes, maxEntries, spend, signal };
  }

  /** Nobody waits for it: a large tree takes its time. */
  function purge(): void {
    trash.purge().catch(onTrouble);
  }

  return {
    edit: async (permit, edit, { basis, spend }, signal) =>
      editFile(Permit.redeem(permit, "edit"), edit, basis, partsFor(signal, spend)),
    move: async (permit, below, signal) => moveEntry(Permit.redeem(permit, "move"), below, partsFor(signal)),
    copy: async (permit, below, spend, signal) =>
      copyEntry(Permit.redeem(permit, "copy"), below, partsFor(signal, spend)),
    remove: async (permit, agent, signal) => {
      const trashed = await removeEntry(Permit.redeem(permit, "remove"), agent, trash, partsFor(signal));
      purge();
      return trashed;
    },
    makeDirectory: async (permit) => makeDirectory(Permit.redeem(permit, "make-directory")),
    restore: async (permit, below, signal) =>
      restoreEntry(Permit.redeem(permit, "restore"), below, trash, partsFor(signal)),
    emptyTrash: async (permit) =>
      trash.empty(new Set(Permit.redeem(permit, "empty-trash").entries.map(({ id }) => id))),
    previewEdit: (path, edit) => previewEdit(path, edit, maxFileBytes),
    previewTree: (field, path, signal) => previewTree(field, path, partsFor(signal)),
    previewWrite,
    trash: async () => (await trash.list()).map((each) => ({ ...each, expiresAt: trash.expiry(each) })),
    start() {
      purge();
      timer ??= setInterval(purge, hourMs).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
