import type { SurfaceState } from "./surface-state.ts";

/** A surface that runs. */
export interface Surface {
  readonly name: "telegram" | "webhook";
  readonly state: Pick<SurfaceState, "connected" | "reason" | "follow">;
  /** Says goodbye within two seconds and lets go of everything. Never rejects. */
  stop(): Promise<void>;
}
