/** Waits; ends early, without an error, where the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/** How long to wait between attempts, in milliseconds. */
export interface Patience {
  readonly least: number;
  readonly most: number;
}

/** A second to a minute. */
export const usualPatience: Patience = { least: 1000, most: 60_000 };

/** The wait before the next attempt after `failures` in a row: doubled each time, less up to a quarter by chance, so that many do not come at once. */
export function waitAfter(failures: number, { least, most }: Patience): number {
  return Math.min(most, least * 2 ** Math.min(failures - 1, 20)) * (1 - Math.random() / 4);
}

/** As `waitAfter`, or as long as the other side wants; never less than the least, so that nobody who wants no wait is called without end. */
export function waitWanted(wantedMs: number | undefined, failures: number, patience: Patience): number {
  return wantedMs === undefined ? waitAfter(failures, patience) : Math.max(wantedMs, patience.least);
}
