import { setTimeout as pause } from "node:timers/promises";

/** Between two tries: doubled each time, in milliseconds. */
const firstPauseMs = 500;
const longestPauseMs = 60_000;

/**
 * Tries until it succeeds, ever more rarely. Resolves after the first try; the further ones go on in the background, and a process that
 * ends does not wait for them. `attempt` tells whether it is done, and must not reject.
 */
export async function persist(attempt: () => Promise<boolean>): Promise<void> {
  if (!(await attempt())) void goOn(attempt);
}

async function goOn(attempt: () => Promise<boolean>): Promise<void> {
  let pauseMs = firstPauseMs;
  do {
    await pause(pauseMs, undefined, { ref: false });
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  } while (!(await attempt()));
}
