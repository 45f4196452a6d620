import { Problem } from "../model/problem.ts";

/** Waits for a promise, but not past a deadline or an abort. @throws Problem `unavailable` or `cancelled`. */
export async function within<T>(
  promise: Promise<T>,
  deadlineMs: number,
  late: string,
  signal: AbortSignal,
): Promise<T> {
  const other = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => other.reject(new Problem("unavailable", `${late} within ${deadlineMs} ms`)),
    deadlineMs,
  );
  const abort = (): void => other.reject(new Problem("cancelled", "cancelled"));
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, other.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
