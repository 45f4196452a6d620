import { setTimeout } from "node:timers/promises";
import type { Way } from "./egress-asks.ts";
import { takeTurns } from "./take-turns.ts";

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
  for (const way of ways) await roundOf(way, ask, clients);
  const turn = (way: Way): Promise<number[]> => roundOf(way, ask, eachRound);
  const over = await takeTurns(`${what} at ${perSecond}/s`, ways, turn, (done) => done < rounds);
  if (over === undefined) return;
  console.log(`  over tinyproxy ${over.p50.toFixed(2)} ms at p50 (goal ${goalMs}), ${over.p99.toFixed(2)} ms at p99`);
}

/** Milliseconds of each of `count` requests, from when it was sent: that this process was late to send it is not the proxy's doing. */
async function roundOf(way: Way, ask: AskInTurn, count: number): Promise<number[]> {
  const started = performance.now();
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await setTimeout(Math.max(0, started + (index * 1000) / perSecond - performance.now()));
      const sent = performance.now();
      await ask(way);
      return performance.now() - sent;
    }),
  );
}
