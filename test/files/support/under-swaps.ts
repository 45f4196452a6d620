import { fork } from "node:child_process";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Problem } from "../../../src/model/problem.ts";
import type { RaceAct } from "./race-acts.ts";

/** What came out of an act that was repeated: each answer once, refusals by their code, and how often it ran. */
export interface Outcomes {
  readonly got: ReadonlySet<string>;
  readonly refused: ReadonlySet<string>;
  readonly times: number;
}

/**
 * Repeats an act against a process that swaps a folder for a link, until `enough` says so of the number of acts and of swaps.
 * @throws what the act throws that is no Problem
 */
export async function underSwaps(
  root: string,
  act: RaceAct,
  enough: (acts: number, swaps: number) => boolean,
): Promise<Outcomes> {
  const swapper = fork(join(import.meta.dirname, "swapper.ts"), [root]);
  const gone = new Promise((done) => swapper.once("exit", done));
  const progress = { swaps: 0 };
  swapper.on("message", (count) => {
    progress.swaps = Number(count);
  });
  const got = new Set<string>();
  const refused = new Set<string>();
  let times = 0;
  try {
    await new Promise((done) => swapper.once("message", done));
    const first = progress.swaps;
    for (; !enough(times, progress.swaps - first); times += 1) {
      // An act may be over within one turn, and then no message would ever come.
      await setImmediate();
      if (swapper.exitCode !== null) throw new Error("the swapping process ended");
      try {
        got.add(await act(times));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        refused.add(error.code);
      }
    }
  } finally {
    swapper.kill("SIGKILL");
    await gone;
  }
  return { got, refused, times };
}
