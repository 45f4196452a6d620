import type { Way } from "./egress-asks.ts";
import { type Percentiles, percentilesOf, row } from "./percentiles.ts";
import { processorCell, processorMs } from "./processor-time.ts";

/** How far Sallyport's latencies are above tinyproxy's. Milliseconds. */
export type Over = Pick<Percentiles, "p50" | "p99">;

/** Has the ways take turns while `goesOn` says so, each turn giving the milliseconds of its requests; prints a line for each way. Undefined where there is no tinyproxy to compare with. */
export async function takeTurns(
  what: string,
  ways: readonly Way[],
  turn: (way: Way) => Promise<readonly number[]>,
  goesOn: (done: number) => boolean,
): Promise<Over | undefined> {
  const times = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  const spent = new Map<string, number>(ways.map(({ name }) => [name, 0]));
  for (let done = 0; goesOn(done); done += 1)
    for (const way of ways) {
      const before = processorMs(way);
      times.get(way.name)?.push(...(await turn(way)));
      spent.set(way.name, (spent.get(way.name) ?? 0) + processorMs(way) - before);
    }
  for (const [name, found] of times) {
    const each = processorCell((spent.get(name) ?? 0) / found.length);
    console.log(`${row(`${what}, ${name}`, percentilesOf(found))}${each}`);
  }
  const [ours, theirs] = [times.get("Sallyport"), times.get("tinyproxy")];
  if (ours === undefined || theirs === undefined) return undefined;
  const [mine, other] = [percentilesOf(ours), percentilesOf(theirs)];
  return { p50: mine.p50 - other.p50, p99: mine.p99 - other.p99 };
}
