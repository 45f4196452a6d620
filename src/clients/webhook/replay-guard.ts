import type { Signature } from "./signature.ts";

/** Why a time or a signature does not count. */
export type Staleness = "too old or too new" | "signed before this start" | "used before" | "too many answers";

/** Lets every signature through once, within its time. */
export interface ReplayGuard {
  /** What speaks against the time alone; undefined: nothing. */
  early(time: number): Staleness | undefined;
  /** Uses a signature up, once it is known to be true. What speaks against it; undefined: it counts. */
  use(signature: Signature): Staleness | undefined;
}

/** Seconds that a signature's time may differ from ours. */
const windowSeconds = 300;
/** Signatures that are remembered. Only who has the secret can add one. */
const mostRemembered = 10_000;

/** Makes a guard. What was signed before it was made does not count: it may have been used before a restart. `now`: seconds since 1970. */
export function createReplayGuard(now: () => number): ReplayGuard {
  const startedAt = Math.floor(now());
  const used = new Map<string, number>();
  const early = (time: number): Staleness | undefined => {
    if (Math.abs(now() - time) > windowSeconds) return "too old or too new";
    return time < startedAt ? "signed before this start" : undefined;
  };
  return {
    early,
    use({ time, mac }) {
      const late = early(time);
      if (late !== undefined) return late;
      const key = mac.toString("base64");
      if (used.has(key)) return "used before";
      if (used.size >= mostRemembered) for (const [old, until] of used) if (until < now()) used.delete(old);
      if (used.size >= mostRemembered) return "too many answers";
      used.set(key, time + windowSeconds + 1);
      return undefined;
    },
  };
}
