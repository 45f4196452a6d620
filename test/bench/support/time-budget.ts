/** Tells rounds that take turns when to stop: after `rounds`, or once `ms` milliseconds went by and three rounds are done. */
export function startBudget(rounds: number, ms: number): (done: number) => boolean {
  const started = performance.now();
  const fewest = Math.min(3, rounds);
  return (done) => done < rounds && (done < fewest || performance.now() - started < ms);
}
