import type { SessionId } from "../model/ids.ts";
import type { Runtime, Sandbox, SandboxSpec } from "../model/runtime.ts";

/** A sandbox that says whether it works, so that a pool can tell which to close. */
export interface WarmSandbox extends Sandbox {
  readonly spec: SandboxSpec;
  /** Milliseconds since the last command ended or the sandbox was taken; 0 while one runs. */
  readonly idleMs: number;
  /** False where something outside has replaced what commands must not change: nothing more may start in it. */
  readonly isGuarded: boolean;
  /** Counts as use: the sandbox was handed to somebody who will spawn. */
  touch(): void;
  /** Calls back whenever the last running command has ended. */
  onIdle(handler: () => void): void;
  /**
   * Gives a sandbox that was made ahead, for `spareSession`, to a session. Resolves with false, and changes nothing, where what it shows is not what
   * lies at the granted paths by now.
   * @throws Problem `internal` where it is somebody's already
   */
  giveTo(session: SessionId): Promise<boolean>;
}

/** A runtime whose sandboxes can be pooled. */
export interface WarmRuntime extends Runtime {
  create(spec: SandboxSpec, signal: AbortSignal): Promise<WarmSandbox>;
}
