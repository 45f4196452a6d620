import type { Action } from "../model/action.ts";
import type { Recorder } from "../model/gate-ports.ts";
import type { EntryId } from "../model/ids.ts";
import type { Outcome } from "../model/outcome.ts";
import { Permit } from "../model/permit.ts";

/** A request that may act: its permit, and the audit entry that waits for the outcome. */
export interface Admission<A extends Action> {
  readonly entry: EntryId;
  readonly permit: Permit<A>;
  /** What the permit is for, to prepare it. It is no leave to act. */
  readonly action: A;
  /** Records the outcome. The first call counts, later ones are ignored. */
  end(outcome: Outcome): void;
}

/** Issues the permit for an action whose entry is open. Only the gate calls this, after {@link Recorder.open} returned. */
export function admitted<A extends Action>(action: A, entry: EntryId, recorder: Recorder): Admission<A> {
  let ended = false;
  return {
    entry,
    permit: Permit.issue(action, entry),
    action,
    end(outcome) {
      if (ended) return;
      ended = true;
      recorder.close(entry, outcome);
    },
  };
}
