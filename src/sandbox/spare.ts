import type { SandboxSpec } from "../model/runtime.ts";
import { spareSession } from "./spare-session.ts";
import type { WarmSandbox } from "./warm-sandbox.ts";

/** A sandbox that waits for the next session of its kind, or the making of it. */
interface Waiting {
  readonly kind: string;
  readonly making: Promise<WarmSandbox>;
}

/** One sandbox made ahead, of the kind that was prepared last: the next session of that kind need not wait for a container. */
export class Spare {
  readonly #make: (spec: SandboxSpec) => Promise<WarmSandbox>;
  #waiting: Waiting | undefined;

  /** `make`: as of the pool, for a spec of `spareSession`. */
  constructor(make: (spec: SandboxSpec) => Promise<WarmSandbox>) {
    this.#make = make;
  }

  /** Makes one ahead, where there is none of that kind; one of another kind goes. Never rejects: without a spare a session waits, and is told why. */
  async prepare(kind: string, spec: SandboxSpec): Promise<void> {
    if (this.#waiting?.kind === kind) return;
    const other = this.#waiting;
    const making = this.#make({ ...spec, session: spareSession() });
    // It may fail while the other one is still being closed: nobody awaits it yet, and a rejection that nobody handles ends the process.
    making.catch(() => {});
    const waiting = { kind, making };
    this.#waiting = waiting;
    try {
      await (await other?.making.catch(() => undefined))?.close();
      const sandbox = await making;
      await sandbox.gone;
    } catch {
      // The next session finds out why.
    }
    if (this.#waiting === waiting) this.#waiting = undefined;
  }

  /** Gives the spare to the spec's session, where there is one of that kind that still shows what it should. */
  async take(kind: string, { session }: SandboxSpec): Promise<WarmSandbox | undefined> {
    const waiting = this.#waiting;
    if (waiting?.kind !== kind) return undefined;
    this.#waiting = undefined;
    const sandbox = await waiting.making.catch(() => undefined);
    if (sandbox === undefined) return undefined;
    if (await sandbox.giveTo(session)) return sandbox;
    void sandbox.close();
    return undefined;
  }

  /** Closes the spare. Resolves with whether there was one. */
  async discard(): Promise<boolean> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const sandbox = await waiting?.making.catch(() => undefined);
    await sandbox?.close();
    return sandbox !== undefined;
  }
}
