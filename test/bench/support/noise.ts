import { readFileSync } from "node:fs";
import { percentilesOf } from "./percentiles.ts";

/**
 * How much the machine alone moves a result: the largest median of a baseline's rounds over the smallest. A ratio of two contenders that is nearer to its goal than
 * that says nothing.
 */
export function noiseOf(rounds: readonly (readonly number[])[]): number {
  const medians = rounds.map((round) => percentilesOf(round).p50);
  return Math.max(...medians) / Math.min(...medians);
}

/** Clock ticks of proc(5) in a second: what every Linux machine has. */
const ticks = 100;

/** Seconds of CPU time, user and system, that a process has had until now; its children are not in it. */
export function cpuSeconds(pid: number): number {
  // The name, in parentheses, may hold anything.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** Bytes of memory that a process holds alone: what would come back if it ended. */
export function privateBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const kilobytes = [...text.matchAll(/^Private_\w+: +(\d+) kB$/gm)].map(([, number]) => Number(number));
  return kilobytes.reduce((sum, each) => sum + each, 0) * 1024;
}
