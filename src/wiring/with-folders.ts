import type { Entry, Recorder } from "../model/gate-ports.ts";
import type { SessionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import type { SessionFolders } from "../model/session.ts";
import type { Caller } from "../model/subject.ts";
import { innerCaller } from "./inner-caller.ts";

/** Records each request with the folders that its session has, so that it can be judged again when the session is gone. */
export function withFolders(
  recorder: Recorder,
  sessions: { get(caller: Caller, id: SessionId): SessionFolders },
): Recorder {
  const placed = (entry: Entry): Entry => {
    try {
      const { workspace, scopes } = sessions.get(innerCaller(), entry.subject.session);
      return { ...entry, folders: { workspace, scopes } };
    } catch (error) {
      // Closed while somebody was asked: the record is made all the same.
      if (error instanceof Problem && error.code === "not_found") return entry;
      throw error;
    }
  };
  return {
    open: (entry) => recorder.open(placed(entry)),
    refuse: (entry) => recorder.refuse(placed(entry)),
    close: (id, outcome) => recorder.close(id, outcome),
  };
}
