import type { Permissions } from "../config/permissions.ts";
import { findRipgrep } from "../files/search/find-ripgrep.ts";
import { createTempJournal } from "../files/temp-journal.ts";
import { createTrees, type Trees } from "../files/trees.ts";
import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { HiddenPlaces } from "./hidden-places.ts";
import { innerCaller } from "./inner-caller.ts";

/** What the work on whole folders is put together from. */
export interface TreesRoomParts {
  readonly sessions: Sessions;
  readonly permissions: Permissions;
  readonly hiddenPlaces: HiddenPlaces;
  /** The folder with the notes about temporary files. */
  readonly journal: AbsolutePath;
  readonly maxFileBytes: number;
  readonly maxEntries: number;
}

/** The work on whole folders, with the search program of this machine and the places that a session's sandbox does not show. */
export async function treesRoom(parts: TreesRoomParts): Promise<Trees> {
  const { sessions, permissions, hiddenPlaces, journal, maxFileBytes, maxEntries } = parts;
  return createTrees({
    journal: createTempJournal(journal),
    maxFileBytes,
    maxEntries,
    ripgrep: await findRipgrep(),
    hidden: (id) => {
      const session = sessions.get(innerCaller(), id);
      return hiddenPlaces(session, permissions.rules(session.workspace, session.subject.agent));
    },
  });
}
