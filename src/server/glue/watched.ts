import type { OpenContext } from "./call-context.ts";

/**
 * A stream that only watches and would never end by itself: ended for the caller with its reason when he leaves, and with `unavailable` when the
 * server shuts down, so that it does not hold the shutdown up.
 */
export async function* watched<T>(
  { signal, draining }: OpenContext,
  source: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const either = AbortSignal.any([signal, draining]);
  either.throwIfAborted();
  for await (const item of source(either)) yield item;
  either.throwIfAborted();
}
