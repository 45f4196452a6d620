import type { SurfaceLog } from "./surface-port.ts";

/** Whether a surface reaches its people. */
export interface SurfaceState {
  readonly connected: boolean;
  /** Why not, in words; empty while it is connected. */
  readonly reason: string;
  /** Calls `changed` after each change until the signal aborts. */
  follow(changed: () => void, signal: AbortSignal): void;
  /** Undefined: connected. */
  set(trouble: string | undefined): void;
}

/** Makes the state of a surface that has not connected yet. Changes are logged, repetitions are not. */
export function createSurfaceState(name: string, log: SurfaceLog): SurfaceState {
  const listeners = new Set<() => void>();
  let reason: string | undefined = "not connected yet";
  return {
    get connected() {
      return reason === undefined;
    },
    get reason() {
      return reason ?? "";
    },
    follow(changed, signal) {
      listeners.add(changed);
      signal.addEventListener("abort", () => listeners.delete(changed), { once: true });
    },
    set(trouble) {
      if (trouble === reason) return;
      const flipped = (trouble === undefined) !== (reason === undefined);
      reason = trouble;
      if (trouble === undefined) log.info({ surface: name }, "a surface is connected");
      else log.warn({ surface: name, reason: trouble }, "a surface is not connected");
      if (flipped) for (const listener of listeners) listener();
    },
  };
}
