import { Problem } from "../../model/problem.ts";

/** What is needed of a grpc-js call to follow it. */
export interface FollowableCall {
  readonly cancelled: boolean;
  getDeadline(): Date | number;
  on(event: "cancelled", listener: () => void): unknown;
  removeListener(event: "cancelled", listener: () => void): unknown;
}

/** The life of one call, as its handler sees it. */
export interface FollowedCall {
  readonly signal: AbortSignal;
  readonly deadline: Date | undefined;
  /** Stops following; the signal never aborts after it. */
  finish(): void;
}

/** A longer timer of Node fires at once. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Follows a call until it is cancelled, hung up, or late.
 *
 * grpc-js tells of a deadline only after it got its status out, which a client that does not read can put off for ever: hence the own timer.
 * It also says `cancelled` after a call that ended well: hence `finish`.
 */
export function followCall(call: FollowableCall): FollowedCall {
  const controller = new AbortController();
  const at = call.getDeadline();
  const deadlineMs = at instanceof Date ? at.getTime() : at;
  const abort = (): void => {
    controller.abort(
      Date.now() >= deadlineMs
        ? new Problem("deadline_exceeded", "the deadline of the call passed")
        : new Problem("cancelled", "the caller cancelled or hung up"),
    );
  };
  const leftMs = Math.min(Math.max(0, deadlineMs - Date.now()) + 1, maxTimerMs);
  const timer = Number.isFinite(deadlineMs) ? setTimeout(abort, leftMs) : undefined;
  call.on("cancelled", abort);
  if (call.cancelled) abort();
  return {
    signal: controller.signal,
    deadline: Number.isFinite(deadlineMs) ? new Date(deadlineMs) : undefined,
    finish() {
      clearTimeout(timer);
      call.removeListener("cancelled", abort);
    },
  };
}
