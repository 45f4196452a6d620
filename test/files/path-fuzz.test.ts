import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fuzzActs, fuzzPath, FuzzWorld } from "./support/fuzz-world.ts";

let world: FuzzWorld;
beforeAll(() => {
  world = new FuzzWorld();
});
afterAll(() => world.w.remove());

/** `make soak-files` goes on for as long as wanted, with other seeds. */
it.each(fuzzActs)("no path makes %s leave the workspace", async (kind) => {
  await fc.assert(
    fc.asyncProperty(fuzzPath, async (path) => {
      expect(await world.act(kind, path)).toEqual([]);
    }),
    { numRuns: kind === "upload" || kind === "append" || kind === "write" ? 120 : 300 },
  );
  // Where everything is refused nothing is tried.
  expect(world.done.get(kind) ?? 0).toBeGreaterThan(10);
});
