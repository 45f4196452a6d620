/**
 * What `work` brings, or undefined where the signal aborts first; `work` goes on then, and its failure is nobody's.
 * Not `Promise.race` with one promise of the abort for all steps of a stream: that one keeps what every race brought, all of the stream, until it settles.
 * @throws what `work` throws
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
