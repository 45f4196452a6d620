import { expect } from "vitest";

/** Expects something that becomes true; the limit only ends a hang, on a loaded machine too. */
export function eventually<T>(value: () => T) {
  return expect.poll(value, { timeout: 45_000, interval: 20 });
}
