import { EgressProblem } from "./egress-problem.ts";

/** One clock over a whole request: names, connections, every hop, the body. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Stops the clock and lets go of the caller's signal. The deadline's own signal stays as it is. */
  readonly clear: () => void;
  /** Ends the request now. */
  readonly abort: (reason: EgressProblem) => void;
}

/** Starts the clock. The signal aborts with an EgressProblem: `late` or `deadline`, `cancelled` where the caller's signal aborts, or the given reason. */
export function startDeadline(
  caller: AbortSignal,
  timeoutMs: number,
  late = () => new EgressProblem("deadline", `not done within ${timeoutMs} ms`),
): Deadline {
  const controller = new AbortController();
  const onAbort = () =>
    controller.abort(new EgressProblem("cancelled", "the caller went away", { cause: caller.reason }));
  const timer = setTimeout(() => controller.abort(late()), timeoutMs);
  if (caller.aborted) onAbort();
  else caller.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer);
      caller.removeEventListener("abort", onAbort);
    },
    abort: (reason) => controller.abort(reason),
  };
}
