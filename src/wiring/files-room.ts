import type { DatabaseSync } from "node:sqlite";
import type { Logger } from "pino";
import type { Permissions } from "../config/permissions.ts";
import { createFileChanges, type FileChanges } from "../files/file-changes.ts";
import { createFiles, type Files } from "../files/files.ts";
import type { Trees } from "../files/trees.ts";
import { type AbsolutePath, resolvePath } from "../model/absolute-path.ts";
import { createFileBudget, type FileBudget } from "../sessions/file-budget.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { HiddenPlaces } from "./hidden-places.ts";
import type { Places } from "./places.ts";
import { treesRoom } from "./trees-room.ts";

/** What the work on files is put together from. */
export interface FilesRoomParts {
  readonly places: Places;
  readonly database: DatabaseSync;
  readonly clock: () => Date;
  /** Folders of the trash, the usual one first. */
  readonly trash: readonly AbsolutePath[];
  readonly sessions: Sessions;
  readonly permissions: Permissions;
  readonly hiddenPlaces: HiddenPlaces;
  readonly log: Logger;
}

/** The work on files, within the limits of the settings. */
export interface FilesRoom {
  readonly files: Files;
  readonly changes: FileChanges;
  readonly budget: FileBudget;
  readonly trees: Trees;
  /** Stops emptying the trash, and stores the counts. */
  close(): void;
}

/** Puts it together, and clears away what a crash left half written. */
export async function filesRoom(parts: FilesRoomParts): Promise<FilesRoom> {
  const { places, database, clock, trash, log, ...reached } = parts;
  const { settings, state } = places;
  const { maxFileBytes, maxEntries, maxDayBytes } = settings.files;
  const journal = resolvePath(state, "writing") ?? state;
  const budget = createFileBudget({ database, clock, maxDayBytes });
  const files = createFiles({ journal, maxWriteBytes: maxFileBytes });
  await files.sweep();
  const changes = createFileChanges({
    journal,
    trash: { folders: trash, ...settings.trash, clock },
    maxFileBytes,
    maxEntries,
    onTrouble: (error) => log.error({ err: error }, "the trash could not be emptied"),
  });
  const trees = await treesRoom({ ...reached, maxFileBytes, maxEntries, journal });
  changes.start();
  return {
    files,
    changes,
    budget,
    trees,
    close() {
      changes.stop();
      budget.flush();
    },
  };
}
