import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../src/clients/telegram/bot-failure.ts";
import { pollUpdates } from "../../src/clients/telegram/poll-updates.ts";
import type { Update } from "../../src/clients/telegram/read-update.ts";

const hour = 3_600_000;

/** Polls a server that answers at once, for as long as a thousand answers would take. Gives the offsets that it was asked with. */
async function asked(answer: (call: number) => readonly unknown[]): Promise<{ offsets: number[]; taken: Update[] }> {
  const offsets: number[] = [];
  const taken: Update[] = [];
  const stop = new AbortController();
  const done = pollUpdates(
    {
      api: {
        me: async () => "bot",
        // Async: what it throws is a call that failed.
        updates: async (offset: number) => {
          offsets.push(offset);
          return answer(offsets.length);
        },
      },
      state: { set: () => undefined },
      patience: { least: hour, most: hour },
      waitSeconds: 25,
      named: () => undefined,
      take: async (update) => void taken.push(update),
    },
    stop.signal,
  );
  for (let turn = 0; turn < 1000; turn += 1) await setImmediate();
  stop.abort();
  await done;
  return { offsets, taken };
}

describe("a server of the Bot API that is not asked without end", () => {
  it.each([
    ["has nothing and does not wait", []],
    ["sends what is no update", [null, 7, "x", {}, [], { update_id: "9" }, { update_id: 1.5 }, { message: {} }]],
    ["sends an old update again and again", [{ update_id: -1 }]],
  ])("%s", async (_what, answer) => {
    // Asked once at the start without a wait, then once with one.
    expect((await asked(() => answer)).offsets).toEqual([0, 0]);
  });

  it("wants no wait at all", async () => {
    for (const retryAfter of [0, -1, 1e-9, Number.NaN, "1", undefined]) {
      const { offsets } = await asked(() => {
        throw failureOf("getUpdates", 429, "slow down", retryAfter);
      });
      expect(offsets).toEqual([0]);
    }
  });

  it("sends updates as fast as they come, and each is taken", async () => {
    const message = { message_id: 1, date: 1, chat: { id: 1 }, from: { id: 7, is_bot: false }, text: "x" };
    const { offsets, taken } = await asked((call) => (call <= 50 ? [{ update_id: call, message }] : []));
    expect(taken).toHaveLength(50);
    expect(offsets).toEqual([0, ...Array.from({ length: 50 }, (_, at) => at + 2)]);
  });
});
