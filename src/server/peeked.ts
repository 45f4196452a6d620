import { Problem } from "../model/problem.ts";

/** A stream whose beginning can be looked at before it is read. */
export interface Peeked {
  /** Waits for the first bytes: `most` and what came with them, or all there are. At most once, and before `chunks` is read. @throws what the stream throws; Problem `cancelled` */
  peek(most: number, signal: AbortSignal): Promise<{ readonly bytes: Uint8Array; readonly whole: boolean }>;
  /** The whole stream. */
  readonly chunks: AsyncGenerator<Uint8Array>;
}

/** Wraps a stream of bytes. */
export function peeked(source: AsyncGenerator<Uint8Array>): Peeked {
  const head: Uint8Array[] = [];
  let ended = false;
  return {
    async peek(most, signal) {
      for (let length = 0; length < most && !ended;) {
        const next = await unlessAborted(source.next(), signal);
        if (next.done === true) ended = true;
        else {
          head.push(next.value);
          length += next.value.length;
        }
      }
      return { bytes: Buffer.concat(head), whole: ended };
    },
    chunks: whole(),
  };

  async function* whole(): AsyncGenerator<Uint8Array> {
    yield* head;
    if (!ended) yield* source;
  }
}

/** A caller that stalls is left where the signal aborts. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new Problem("cancelled", "the caller went away", { cause: signal.reason }));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
