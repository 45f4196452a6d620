import type { Action } from "../model/action.ts";
import type { Recorder } from "../model/gate-ports.ts";
import type { EntryId } from "../model/ids.ts";
import type { Command } from "../model/intent.ts";
import type { Outcome } from "../model/outcome.ts";
import { Permit } from "../model/permit.ts";

/** A request that may act: its permit, and the audit entry that waits for the outcome. */
export interface Admission<A extends Action> {
  readonly entry: EntryId;
  readonly permit: Permit<A>;
  /** What the permit is for, to prepare it. It is no leave to act. */
  readonly action: A;
  /** The command that runs because a person put it in the place of what was asked for. */
  readonly instead?: Command;
  /**
   * Looks once more, right before the act, whether it may still be done, unless no wait lies between the judgement and now.
   * @throws Problem `permission_denied` where a rule refuses it by now or what allowed it is gone, `aborted` where it is another plan by now
   */
  confirm(): void;
  /** Records the outcome. The first call counts, later ones are ignored. */
  end(outcome: Outcome): void;
}

/** What an admission is made of. */
export interface Admitted<A extends Action> extends Pick<Admission<A>, "action" | "entry" | "confirm" | "instead"> {
  readonly recorder: Recorder;
}

/** Issues the permit for an action whose entry is open. Only the gate calls this, after {@link Recorder.open} returned. */
export function admitted<A extends Action>({ recorder, ...admission }: Admitted<A>): Admission<A> {
  const { action, entry } = admission;
  let ended = false;
  return {
    ...admission,
    permit: Permit.issue(action, entry),
    end(outcome) {
      if (ended) return;
      ended = true;
      recorder.close(entry, outcome);
    },
  };
}
