import type { Permissions } from "../config/permissions.ts";
import { findRipgrep } from "../files/search/find-ripgrep.ts";
import { createTrees, type Trees } from "../files/trees.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { HiddenPlaces } from "./hidden-places.ts";
import { innerCaller } from "./inner-caller.ts";

/** What the work on whole folders is put together from. */
export interface TreesRoomParts {
  readonly sessions: Sessions;
  readonly permissions: Permissions;
  readonly hiddenPlaces: HiddenPlaces;
}

/** The work on whole folders, with the search program of this machine and the places that a session's sandbox does not show. */
export async function treesRoom({ sessions, permissions, hiddenPlaces }: TreesRoomParts): Promise<Trees> {
  return createTrees({
    ripgrep: await findRipgrep(),
    hidden: (id) => {
      const session = sessions.get(innerCaller(), id);
      return hiddenPlaces(session, permissions.rules(session.workspace, session.subject.agent));
    },
  });
}
