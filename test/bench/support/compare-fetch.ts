import { Client } from "undici";
import type { Fetcher } from "../../../src/egress/fetcher.ts";
import type { EntryId, SessionId } from "../../../src/model/ids.ts";
import { Permit } from "../../../src/model/permit.ts";
import { originAddress as address } from "./egress-asks.ts";
import { percentilesOf, row } from "./percentiles.ts";
import { processorCell } from "./processor-time.ts";
import { startBudget } from "./time-budget.ts";

/** Milliseconds after which no further round begins. */
const budgetMs = 10_000;

/** Fetch keeps no connection, so bare undici gets a client of its own for each request, too. */
export async function compareFetch(fetcher: Fetcher, origin: number, requests: number): Promise<void> {
  const session = "bench" as SessionId;
  // The caller's, as the deadline in it is: what it costs is not Fetch's.
  const never = new AbortController().signal;
  const url = `http://${address}:${origin}/0`;
  const action = {
    kind: "fetch",
    url,
    method: "GET",
    headers: [],
    body: undefined,
    maxBytes: 1000,
    timeoutMs: 9000,
  } as const;
  const kinds = {
    undici: async () => {
      const client = new Client(`http://${address}:${origin}`);
      const { body } = await client.request({ path: "/0", method: "GET" });
      await body.text();
      await client.close();
    },
    Fetch: async () => {
      const permit = Permit.issue({ ...action, hop: 0, session, host: address, port: origin }, "e" as EntryId);
      const result = await fetcher.fetch(permit, () => Promise.reject(new Error("no redirect")), never);
      for await (const chunk of result.body) if (chunk.length === 0) break;
    },
  };
  const times = new Map<string, number[]>(Object.keys(kinds).map((name) => [name, []]));
  const spent = new Map<string, number>();
  const turn = async (act: () => Promise<void>) => {
    const before = process.cpuUsage();
    const started = performance.now();
    await act();
    const { user, system } = process.cpuUsage(before);
    return { wallMs: performance.now() - started, processorMs: (user + system) / 1000 };
  };
  for (let warm = 0; warm < 20; warm += 1) for (const act of Object.values(kinds)) await turn(act);
  const goesOn = startBudget(requests, budgetMs);
  for (let done = 0; goesOn(done); done += 1)
    for (const [name, act] of Object.entries(kinds)) {
      const { wallMs, processorMs } = await turn(act);
      times.get(name)?.push(wallMs);
      spent.set(name, (spent.get(name) ?? 0) + processorMs);
    }
  for (const [name, found] of times) {
    const each = (spent.get(name) ?? 0) / found.length;
    console.log(`${row(`small, ${name}`, percentilesOf(found))}${processorCell(each)}`);
  }
  const [bare, ours] = [percentilesOf(times.get("undici") ?? []).p50, percentilesOf(times.get("Fetch") ?? []).p50];
  const processor = (spent.get("Fetch") ?? Number.NaN) / (spent.get("undici") ?? Number.NaN);
  console.log(`  of bare undici's: ${(ours / bare).toFixed(2)} at p50, ${processor.toFixed(2)} of its processor time`);
}
