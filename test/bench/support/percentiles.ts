/** Milliseconds at the 50th, 95th and 99th percentile. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly count: number;
}

/** Nearest-rank percentiles. */
export function percentilesOf(samples: readonly number[]): Percentiles {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), count: sorted.length };
}

/** Runs `act` `count` times, one after the other, and returns the milliseconds of each. */
export async function timed(count: number, act: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const start = performance.now();
    await act();
    samples.push(performance.now() - start);
  }
  return samples;
}

/** One line of a table. */
export function row(name: string, found: Percentiles): string {
  const cell = (value: number): string => `${value.toFixed(2)} ms`.padStart(12);
  return `${name.padEnd(44)}${cell(found.p50)}${cell(found.p95)}${cell(found.p99)}${String(found.count).padStart(8)}`;
}

export const heading = `${"".padEnd(44)}${"p50".padStart(12)}${"p95".padStart(12)}${"p99".padStart(12)}${"runs".padStart(8)}`;
