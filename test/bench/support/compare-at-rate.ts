import { percentilesOf, row } from "./percentiles.ts";
import { processorCell, processorMs } from "./processor-time.ts";
import type { Way } from "./egress-asks.ts";

/** Requests in a second over all clients: far from what two cores can carry, so that nothing waits for its turn and what is measured is latency. */
const perSecond = 150;
/** Clients that take turns: each has its own time to send, every `clients / perSecond` seconds. */
export const clients = 64;
/** Requests by each way in one of the rounds, in which the ways take turns. */
const eachRound = perSecond;
const rounds = 5;
/** What p50 may be over tinyproxy's. Milliseconds. */
const goalMs = 1.5;

/** One request by the next client. */
export type AskInTurn = (way: Way) => Promise<unknown>;

/**
 * Small requests of many clients at a fixed rate, spread evenly, whatever has become of those before (an open loop). Clients that all send at once, as in the closed loop, measure how fast
 * a heap of work is done, and not how long one request takes.
 */
export async function compareAtRate(what: string, ways: readonly Way[], ask: AskInTurn): Promise<void> {
  const times = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  const spent = new Map<string, number>(ways.map(({ name }) => [name, 0]));
  for (const way of ways) await roundOf(way, ask, clients);
  for (let round = 0; round < rounds; round += 1)
    for (const way of ways) {
      const before = processorMs(way);
      times.get(way.name)?.push(...(await roundOf(way, ask, eachRound)));
      spent.set(way.name, (spent.get(way.name) ?? 0) + processorMs(way) - before);
    }
  for (const [name, found] of times) {
    const each = processorCell((spent.get(name) ?? 0) / found.length);
    console.log(`${row(`${what} at ${perSecond}/s, ${name}`, percentilesOf(found))}${each}`);
  }
  const [ours, theirs] = [times.get("Sallyport"), times.get("tinyproxy")];
  if (ours === undefined || theirs === undefined) return;
  const [mine, other] = [percentilesOf(ours), percentilesOf(theirs)];
  console.log(
    `  over tinyproxy ${(mine.p50 - other.p50).toFixed(2)} ms at p50 (goal ${goalMs}), ${(mine.p99 - other.p99).toFixed(2)} ms at p99`,
  );
}

/** Milliseconds of each of `count` requests, from when it was sent: that this process was late to send it is not the proxy's doing. */
async function roundOf(way: Way, ask: AskInTurn, count: number): Promise<number[]> {
  const started = performance.now();
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await until(started + (index * 1000) / perSecond);
      const sent = performance.now();
      await ask(way);
      return performance.now() - sent;
    }),
  );
}

function until(time: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, Math.max(0, time - performance.now()));
  return promise;
}
