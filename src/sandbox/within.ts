import { Problem } from "../model/problem.ts";

/** Waits for a promise, but not past a deadline or an abort. @throws Problem `unavailable` or `cancelled`. */
export async function within<T>(
  promise: Promise<T>,
  deadlineMs: number,
  late: string,
  signal: AbortSignal,
): Promise<T> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => deadline.reject(new Problem("unavailable", `${late} within ${deadlineMs} ms`)),
    deadlineMs,
  );
  try {
    return await until(Promise.race([promise, deadline.promise]), signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a promise as long as the signal is not aborted; the promise itself goes on for others. @throws Problem `cancelled`. */
export async function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>();
  const abort = (): void => left.reject(new Problem("cancelled", "cancelled"));
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, left.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
