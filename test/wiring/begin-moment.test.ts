import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { beginMoment } from "../../src/wiring/begin-moment.ts";

describe("a moment", () => {
  it("lasts over what is settled already", async () => {
    const answers: boolean[] = [];
    // A loaded machine may take the processor away for longer than a moment, but not each time.
    for (let tries = 0; tries < 50; tries += 1) {
      await Promise.resolve();
      const lasts = beginMoment();
      for (let hops = 0; hops < 100; hops += 1) await Promise.resolve();
      answers.push(lasts());
      await setImmediate();
    }
    expect(answers).toContain(true);
  });

  it("is over after the shortest wait for something else", async () => {
    await Promise.resolve();
    const lasts = beginMoment();
    await setImmediate();
    expect(lasts()).toBe(false);
  });

  it("is over after a tick", async () => {
    await Promise.resolve();
    const lasts = beginMoment();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(lasts()).toBe(false);
  });

  it("is over where the work in it took long, and stays so", async () => {
    await Promise.resolve();
    const lasts = beginMoment();
    for (const end = performance.now() + 11; performance.now() < end;);
    expect([lasts(), lasts()]).toEqual([false, false]);
  });
});
