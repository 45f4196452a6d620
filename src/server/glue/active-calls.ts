/** Counts handlers that have not finished, so that a shutdown can wait until their audit entries are closed. */
export interface ActiveCalls {
  begin(): void;
  end(): void;
  readonly count: number;
  /** Resolves when no handler runs. */
  idle(): Promise<void>;
}

/** Makes a counter that starts at zero. */
export function countCalls(): ActiveCalls {
  let running = 0;
  const waiting = new Set<() => void>();
  return {
    begin() {
      running += 1;
    },
    end() {
      running -= 1;
      if (running > 0) return;
      for (const wake of waiting) wake();
      waiting.clear();
    },
    get count() {
      return running;
    },
    idle() {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve));
    },
  };
}
