/** Streams of this browser at a time, beside that of the questions. Over HTTP/1.1 it opens six connections to a host; the rest is for calls. */
const places = ["sallyport-stream-1", "sallyport-stream-2", "sallyport-stream-3"];

/** What is said while it has to wait. */
export const waitingWords = `Waits: this browser follows ${places.length} outputs or records already.`;

/**
 * Runs what holds a connection, once one of the places that all tabs share is free. `waits` is told where it has to wait. Where the browser has no locks (a host that it
 * does not trust), it runs at once.
 */
export async function inStreamPlace<T>(signal: AbortSignal, waits: () => void, run: () => Promise<T>): Promise<T> {
  // Not there where the context is not secure, whatever the types say.
  const locks: LockManager | undefined = isSecureContext ? navigator.locks : undefined;
  if (locks === undefined) return run();
  const got = new AbortController();
  const either = AbortSignal.any([signal, got.signal]);
  const timer = setTimeout(waits, 300);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  for (const place of places)
    locks
      .request(place, { signal: either }, async () => {
        // Two may be free at once.
        if (got.signal.aborted) return;
        got.abort();
        clearTimeout(timer);
        await run().then(resolve, reject);
      })
      .catch((error: unknown) => {
        if (signal.aborted) reject(error instanceof Error ? error : new Error("left"));
      });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
