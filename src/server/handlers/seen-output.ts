import { setTimeout } from "node:timers/promises";
import type { FollowEvent, FollowOptions } from "../../model/background.ts";
import { OutputRing } from "../../model/output-ring.ts";
import { Problem } from "../../model/problem.ts";
import type { ProcessExit } from "../../model/runtime.ts";

/** The end of what a command said that a call waits for, for others who look on. They never slow it: what they do not read in time is lost to them, and they are told. */
export interface SeenOutput {
  /** Keeps a copy. */
  write(kind: "stdout" | "stderr", data: Uint8Array): void;
  /** Undefined: it ended without an exit. */
  end(exit: ProcessExit | undefined): void;
  /** What it said from an offset on, as it comes. @throws Problem `out_of_range` for an offset past its end, `unavailable` where it ended without an exit */
  follow(options: FollowOptions, signal: AbortSignal): AsyncGenerator<FollowEvent>;
}

/** Bytes that are kept of a command. */
const mostKept = 128 * 1024;
/** Changes between stdout and stderr that are kept; older output is let go with them. */
const mostRuns = 1024;
/** Milliseconds between two looks: a command that says much is not read to others all the time. */
const restMs = 50;

/** Makes an empty one. It takes room as output comes. */
export function createSeenOutput(): SeenOutput {
  const ring = new OutputRing(mostKept, mostRuns);
  let over = false;
  let exit: ProcessExit | undefined;
  const waiting = new Set<() => void>();
  const tell = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };

  return {
    write(kind, data) {
      ring.append(kind, data);
      if (waiting.size > 0) tell();
    },
    end(how) {
      over = true;
      exit = how;
      tell();
    },
    async *follow({ offset: first, untilNow }, signal) {
      if (first > ring.to)
        throw new Problem("out_of_range", `offset: it has said ${ring.to} bytes so far`, { field: "offset" });
      for (let offset = first; ;) {
        const { from, to } = ring;
        if (offset < from) {
          yield { kind: "lost", offset, bytes: from - offset };
          offset = from;
        }
        while (offset < to) {
          const piece = ring.read(offset, to - offset);
          // It was overwritten meanwhile.
          if (piece === undefined) break;
          yield { ...piece, offset };
          offset += piece.data.length;
        }
        if (offset < ring.to || offset < ring.from) {
          if (!untilNow) await setTimeout(restMs, undefined, { signal }).catch(() => undefined);
        } else if (over && exit !== undefined) {
          yield { kind: "exit", offset, exit };
          return;
        } else if (over) throw new Problem("unavailable", "the command ended without an exit");
        else if (untilNow) return;
        else await change(signal);
        if (signal.aborted || untilNow) return;
      }
    },
  };

  function change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener("abort", done);
        waiting.delete(done);
        setTimeout(signal.aborted || over ? 0 : restMs).then(resolve, resolve);
      };
      waiting.add(done);
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
    });
  }
}
