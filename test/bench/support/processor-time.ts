import { readFileSync } from "node:fs";
import type { Way } from "./egress-asks.ts";

/** Processor time that a way's proxy has used, milliseconds (proc(5): fields 14 and 15, in hundredths of a second). */
export function processorMs({ proxy }: Way): number {
  if (proxy === undefined) return 0;
  const fields = readFileSync(`/proc/${proxy.pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** One cell of a table. */
export function processorCell(ms: number): string {
  return `${ms.toFixed(2).padStart(11)} ms CPU`;
}
