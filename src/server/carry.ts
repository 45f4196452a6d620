import type { Action, ActionOf } from "../model/action.ts";
import type { MakePreview } from "../model/gate-ports.ts";
import type { EntryId } from "../model/ids.ts";
import type { Command, Intent } from "../model/intent.ts";
import type { Outcome, OutcomeFacts } from "../model/outcome.ts";
import type { Permit } from "../model/permit.ts";
import { Problem } from "../model/problem.ts";
import type { Subject } from "../model/subject.ts";
import type { Admission, Gate } from "./ports/acting.ts";

/** What a handler has while it acts. */
export interface Carriage<A extends Action> {
  readonly entry: EntryId;
  readonly permit: Permit<A>;
  /** What the permit is for, so that it can be prepared. It is no leave to act. */
  readonly action: A;
  /** As in {@link Admission}. */
  readonly instead?: Command;
  readonly confirm: () => void;
  /** Says how it ended; what was said last is recorded when the act is over. */
  readonly done: (facts: OutcomeFacts) => void;
  readonly failed: (reason: string, facts: OutcomeFacts) => void;
}

/**
 * Asks the gate, acts once, and ends the audit entry exactly once whatever happens: as the act said, else as done where it returned, as failed
 * where it threw, as abandoned where nobody waited for it. `preview` says what would change, where a person is asked.
 * @throws Problem from the gate; what `act` throws.
 */
export async function carry<I extends Intent, R>(
  gate: Gate,
  subject: Subject,
  intent: I,
  signal: AbortSignal,
  act: (carriage: Carriage<ActionOf<I>>) => Promise<R>,
  preview?: MakePreview<I>,
): Promise<R> {
  const ride = start(await gate.admit(subject, intent, signal, preview), signal);
  try {
    const result = await act(ride.carriage);
    ride.arrived();
    return result;
  } catch (error) {
    ride.threw(error);
    throw error;
  } finally {
    ride.end();
  }
}

/** The same for an act that is a stream. Where its reader leaves early the act is told by `return`, like any generator. */
export async function* carryStream<I extends Intent, R>(
  gate: Gate,
  subject: Subject,
  intent: I,
  signal: AbortSignal,
  act: (carriage: Carriage<ActionOf<I>>) => AsyncIterable<R>,
): AsyncGenerator<R> {
  const ride = start(await gate.admit(subject, intent, signal), signal);
  try {
    // Not `yield*`, which would add an await to every item.
    for await (const item of act(ride.carriage)) yield item;
    ride.arrived();
  } catch (error) {
    ride.threw(error);
    throw error;
  } finally {
    ride.end();
  }
}

function start<A extends Action>(admission: Admission<A>, signal: AbortSignal) {
  let said: Outcome | undefined;
  const carriage: Carriage<A> = {
    entry: admission.entry,
    permit: admission.permit,
    action: admission.action,
    confirm: () => admission.confirm(),
    ...(admission.instead === undefined ? {} : { instead: admission.instead }),
    done(facts) {
      said = { kind: "done", facts };
    },
    failed(reason, facts) {
      said = { kind: "failed", reason, facts };
    },
  };
  return {
    carriage,
    arrived() {
      said ??= { kind: "done", facts: {} };
    },
    threw(error: unknown) {
      said ??= { kind: "failed", reason: reasonOf(signal.aborted ? signal.reason : error), facts: {} };
    },
    end() {
      admission.end(said ?? { kind: "abandoned", reason: "the caller went away before the end was known" });
    },
  };
}

/** What the record says of a thrown value: a Problem's own words, nothing of the rest, which the log holds. */
export function reasonOf(error: unknown): string {
  return error instanceof Problem ? `${error.code}: ${error.message}` : "internal error";
}
