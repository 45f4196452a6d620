import { setTimeout } from "node:timers/promises";
import type { FollowEvent, FollowOptions } from "../../model/background.ts";
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
const firstRoom = 4 * 1024;
/** Changes between stdout and stderr that are kept; older output is let go with them. */
const mostRuns = 1024;
/** Milliseconds between two looks: a command that says much is not read to others all the time. */
const restMs = 50;

interface Run {
  readonly from: number;
  readonly kind: "stdout" | "stderr";
}

/** Makes an empty one. It takes room as output comes. */
export function createSeenOutput(): SeenOutput {
  let ring = Buffer.alloc(0);
  /** Offsets of the first byte that is kept, and past the last one. */
  let from = 0;
  let to = 0;
  let runs: Run[] = [];
  let over = false;
  let exit: ProcessExit | undefined;
  const waiting = new Set<() => void>();
  const tell = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };

  function put(data: Uint8Array): void {
    const at = to % ring.length;
    const first = Math.min(data.length, ring.length - at);
    ring.set(data.subarray(0, first), at);
    ring.set(data.subarray(first), 0);
    to += data.length;
  }

  function grow(wanted: number): void {
    if (wanted <= ring.length || ring.length === mostKept) return;
    const kept = copy(from, to);
    let room = Math.max(firstRoom, ring.length);
    while (room < wanted && room < mostKept) room *= 2;
    ring = Buffer.alloc(room);
    to = from;
    put(kept);
  }

  function copy(start: number, end: number): Buffer {
    if (start === end) return Buffer.alloc(0);
    const at = start % ring.length;
    const first = Math.min(end - start, ring.length - at);
    return Buffer.concat([ring.subarray(at, at + first), ring.subarray(0, end - start - first)]);
  }

  /** The next piece of one kind from an offset that is kept. */
  function pieceAt(offset: number): FollowEvent {
    const index = runs.findLastIndex((run) => run.from <= offset);
    const end = runs[index + 1]?.from ?? to;
    return { kind: runs[index]?.kind ?? "stdout", offset, data: copy(offset, end) };
  }

  return {
    write(kind, data) {
      if (data.length === 0) return;
      if (runs.at(-1)?.kind !== kind) runs.push({ from: to, kind });
      const kept = data.subarray(-mostKept);
      const skipped = data.length - kept.length;
      if (skipped > 0) from = to += skipped;
      grow(to - from + kept.length);
      put(kept);
      from = Math.max(from, to - ring.length);
      if (runs.length > mostRuns) from = Math.max(from, runs.at(-mostRuns)?.from ?? 0);
      if (runs.length > 1 && (runs[1]?.from ?? 0) <= from)
        runs = runs.slice(runs.findLastIndex((run) => run.from <= from));
      if (waiting.size > 0) tell();
    },
    end(how) {
      over = true;
      exit = how;
      tell();
    },
    async *follow({ offset: first, untilNow }, signal) {
      if (first > to) throw new Problem("out_of_range", `offset: it has said ${to} bytes so far`, { field: "offset" });
      for (let offset = first; ;) {
        if (offset < from) {
          yield { kind: "lost", offset, bytes: from - offset };
          offset = from;
        }
        const end = to;
        while (offset >= from && offset < end) {
          const piece = pieceAt(offset);
          if (piece.kind !== "stdout" && piece.kind !== "stderr") return;
          offset += piece.data.length;
          yield piece;
        }
        if (offset < to || offset < from) {
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
