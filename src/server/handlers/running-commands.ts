import type { EntryId, SessionId } from "../../model/ids.ts";
import type { Process } from "../../model/runtime.ts";

/** Commands that run now, found by the key of their audit entry, so that another call can send them a signal. */
export interface RunningCommands {
  add(entry: EntryId, session: SessionId, process: Process): void;
  remove(entry: EntryId): void;
  /** Undefined where none of that session runs under this key. */
  find(entry: EntryId, session: SessionId): Process | undefined;
}

/** Makes an empty table. */
export function tableOfCommands(): RunningCommands {
  const running = new Map<EntryId, { readonly session: SessionId; readonly process: Process }>();
  return {
    add: (entry, session, process) => void running.set(entry, { session, process }),
    remove: (entry) => void running.delete(entry),
    find(entry, session) {
      const found = running.get(entry);
      return found?.session === session ? found.process : undefined;
    },
  };
}
