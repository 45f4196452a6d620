import type { EntryId, SessionId } from "../../model/ids.ts";
import type { Process } from "../../model/runtime.ts";
import type { SeenOutput } from "./seen-output.ts";

/** A command that runs while a call waits for it. */
export interface RunningCommand {
  readonly process: Process;
  readonly output: SeenOutput;
}

/** Commands that run now, found by the key of their audit entry, so that another call can send them a signal, or look on. */
export interface RunningCommands {
  add(entry: EntryId, session: SessionId, command: RunningCommand): void;
  remove(entry: EntryId): void;
  /** Undefined where none of that session runs under this key. */
  find(entry: EntryId, session: SessionId): RunningCommand | undefined;
}

/** Makes an empty table. */
export function tableOfCommands(): RunningCommands {
  const running = new Map<EntryId, { readonly session: SessionId; readonly command: RunningCommand }>();
  return {
    add: (entry, session, command) => void running.set(entry, { session, command }),
    remove: (entry) => void running.delete(entry),
    find(entry, session) {
      const found = running.get(entry);
      return found?.session === session ? found.command : undefined;
    },
  };
}
