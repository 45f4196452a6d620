import { signal } from "@preact/signals";

/** The time, to the second, while somebody looks at it. */
export const now = signal(Date.now());

/** Keeps `now` going until the signal aborts. */
export function keepTime(stop: AbortSignal): void {
  const timer = setInterval(() => {
    now.value = Date.now();
  }, 1000);
  stop.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/** `4:05`, or `0:00` where it is over. */
export function clockWords(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** A time as this browser's owner writes it; the text itself where it is none. */
export function timeWords(rfc3339: string): string {
  const at = new Date(rfc3339);
  return Number.isNaN(at.getTime())
    ? rfc3339
    : at.toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" });
}
