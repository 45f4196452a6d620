/** How a stream is followed over losses. */
export interface Following {
  /** Follows once, until the stream ends or fails. Calls `connected` when it is known to work. */
  readonly follow: (signal: AbortSignal, connected: () => void) => Promise<void>;
  /** Told whenever it becomes connected or is lost. */
  readonly onState?: (connected: boolean) => void;
}

const firstWaitMs = 250;
const longestWaitMs = 10_000;

/** Follows until `signal` aborts, and after each loss again, waiting twice as long each time, with some chance in it. Back online it tries at once. */
export async function keepFollowing({ follow, onState }: Following, signal: AbortSignal): Promise<void> {
  let waitMs = firstWaitMs;
  while (!signal.aborted) {
    try {
      await follow(signal, () => {
        waitMs = firstWaitMs;
        onState?.(true);
      });
    } catch {
      // The loss is what is told.
    }
    if (signal.aborted) return;
    onState?.(false);
    await rest(waitMs * (0.5 + Math.random() / 2), signal);
    waitMs = Math.min(longestWaitMs, waitMs * 2);
  }
}

const retryNow = "sallyport-retry";

/** Tries at once where a stream waits for its next attempt: timers of a tab that nobody sees are slow. */
export function retry(): void {
  dispatchEvent(new Event(retryNow));
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      removeEventListener("online", done);
      removeEventListener(retryNow, done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    addEventListener("online", done, { once: true });
    addEventListener(retryNow, done, { once: true });
  });
}
