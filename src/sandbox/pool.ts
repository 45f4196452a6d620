import type { SessionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import type { InsideConnection, Sandbox, SandboxSpec } from "../model/runtime.ts";
import { keyOf, kindOf } from "./sandbox-key.ts";
import { Spare } from "./spare.ts";
import type { WarmRuntime, WarmSandbox } from "./warm-sandbox.ts";
import { until } from "./within.ts";

/** What a pool is made with. */
export interface PoolOptions {
  readonly runtime: WarmRuntime;
  /** Handles connections that processes inside open to the proxy's port; undefined: they are refused. */
  readonly onConnection?: ((connection: InsideConnection) => void) | undefined;
  /** A sandbox without commands for so long is closed, in milliseconds; 15 minutes where it is not given. */
  readonly idleMs?: number;
  /** The same for one that is handed out no more; 10 s where it is not given. */
  readonly retiredIdleMs?: number;
  /** Sandboxes at most, over all sessions; 64 where it is not given. Past it, the one that has been idle longest makes room. */
  readonly maxSandboxes?: number;
  /** One that was handed out or worked so lately makes no room: it may be about to get a command. In milliseconds; 1 s where it is not given. */
  readonly keptMs?: number;
  /** So long after a session got its first sandbox, in milliseconds, one of the same kind is made for the next session; never where it is not given. */
  readonly spareAfterMs?: number;
}

/** Warm sandboxes: of each session and image the few kinds that were used last. */
export interface Pool {
  /**
   * The warm sandbox of this spec, made where there is none. Callers who ask at once share one. A spec with a one-time scope gets a
   * sandbox of its own, which is closed after its first command.
   * @throws Problem as of `Runtime.create`; `resource_exhausted` where there are too many and all work.
   */
  acquire(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox>;
  /** Makes a sandbox ahead for the next session that asks for such a one. Never rejects; resolves when it is gone. */
  prepare(spec: SandboxSpec): Promise<void>;
  /** Hands out nothing of a session any more that is open now; what runs in it goes on. */
  renew(session: SessionId): void;
  /** True where a sandbox is open and handed out no more, because others of its session have taken its place. */
  isSuperseded(sandbox: Sandbox): boolean;
  /** Closes everything of a session, with the commands in it. */
  close(session: SessionId): Promise<void>;
  /** Closes everything; nothing can be acquired afterwards. */
  closeAll(): Promise<void>;
}

/** Makes a pool. Sandboxes without work are closed in the background; one that runs a command never is. */
export function createPool(options: PoolOptions): Pool {
  return new SandboxPool(options);
}

/** The current sandbox of a key, or the making of it: callers who come at once share it. */
interface Entry {
  readonly spec: SandboxSpec;
  readonly making: Promise<WarmSandbox>;
  readonly ending: AbortController;
}

/** Kinds of one session and image that stay warm: rules let a command have further folders, which the next one does without. */
const mostKinds = 3;

class SandboxPool implements Pool {
  readonly #options: PoolOptions;
  readonly #current = new Map<string, Entry>();
  /** All that are open; true: nobody will be given it again. */
  readonly #open = new Map<WarmSandbox, boolean>();
  readonly #ending = new AbortController();
  readonly #spare = new Spare((spec) => this.#create(spec, this.#ending.signal));
  #making = 0;
  #reaper: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  prepare(spec: SandboxSpec): Promise<void> {
    return this.#spare.prepare(kindOf(spec), spec);
  }

  async acquire(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox> {
    if (isForOnce(spec)) return this.#makeOnce(spec, signal);
    const key = keyOf(spec);
    const known = this.#current.get(key);
    const entry = known ?? this.#begin(key, spec);
    // The map is in the order of use.
    this.#current.delete(key);
    this.#current.set(key, entry);
    const sandbox = await until(entry.making, signal);
    if (known !== undefined && !sandbox.isGuarded) {
      if (this.#current.get(key) === known) this.#current.delete(key);
      this.#retire(sandbox);
      return this.acquire(spec, signal);
    }
    sandbox.touch();
    return sandbox;
  }

  renew(session: SessionId): void {
    this.#retireAll(this.#forget((spec) => spec.session === session));
  }

  isSuperseded(sandbox: Sandbox): boolean {
    for (const [open, retired] of this.#open) if (open === sandbox) return retired && !isForOnce(open.spec);
    return false;
  }

  async close(session: SessionId): Promise<void> {
    const entries = this.#forget((spec) => spec.session === session);
    for (const entry of entries) entry.ending.abort();
    await Promise.allSettled(entries.map((entry) => entry.making));
    await this.#closeOpen((sandbox) => sandbox.spec.session === session);
  }

  async closeAll(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled([...this.#forget(() => true).map((entry) => entry.making), this.#spare.discard()]);
    await this.#closeOpen(() => true);
  }

  #begin(key: string, spec: SandboxSpec): Entry {
    const ending = new AbortController();
    // Not the caller's signal: it may leave while others wait for the same sandbox.
    const making = this.#make(spec, ending.signal);
    const entry = { spec, making, ending };
    const first = ![...this.#current.values()].some((other) => other.spec.session === spec.session);
    this.#current.set(key, entry);
    if (first) this.#prepareLater(entry);
    void this.#follow(key, entry);
    return entry;
  }

  /** Keeps the map true to what becomes of a sandbox, and retires those of the session that were used least lately where they are too many. */
  async #follow(key: string, entry: Entry): Promise<void> {
    try {
      const sandbox = await entry.making;
      const { session, image } = entry.spec;
      const alike = (spec: SandboxSpec): boolean => spec.session === session && spec.image === image;
      const kept = [...this.#current.values()].filter(({ spec }) => alike(spec)).slice(-mostKinds);
      this.#retireAll(this.#forget((spec) => alike(spec) && !kept.some((each) => each.spec === spec)));
      await sandbox.gone;
    } catch {
      // Whoever asked has been told.
    }
    if (this.#current.get(key) === entry) this.#current.delete(key);
  }

  async #makeOnce(spec: SandboxSpec, signal: AbortSignal): Promise<WarmSandbox> {
    const sandbox = await this.#make(spec, signal);
    this.#retire(sandbox);
    sandbox.onIdle(() => void sandbox.close());
    return sandbox;
  }

  /** Not at once: the session's first command comes first. */
  #prepareLater({ spec, making }: Entry): void {
    const { spareAfterMs } = this.#options;
    if (spareAfterMs === undefined || isForOnce(spec)) return;
    const prepare = (): void => void this.prepare(spec);
    making.then(
      () => setTimeout(prepare, spareAfterMs).unref(),
      () => {},
    );
  }

  async #make(spec: SandboxSpec, signal: AbortSignal): Promise<WarmSandbox> {
    const spare = isForOnce(spec) ? undefined : await this.#spare.take(kindOf(spec), spec);
    if (spare !== undefined) return spare;
    while (this.#isFull() && (await this.#makeRoom()));
    return this.#create(spec, signal);
  }

  #isFull(): boolean {
    return this.#open.size + this.#making >= (this.#options.maxSandboxes ?? 64);
  }

  /** Closes the spare, or the sandbox that has been idle longest. Resolves with false where all work. */
  async #makeRoom(): Promise<boolean> {
    if (await this.#spare.discard()) return true;
    const { keptMs = 1000 } = this.#options;
    const idle = [...this.#open.keys()].filter((sandbox) => sandbox.idleMs > keptMs);
    const [longest] = idle.sort((a, b) => b.idleMs - a.idleMs);
    await longest?.close();
    return longest !== undefined;
  }

  async #create(spec: SandboxSpec, signal: AbortSignal): Promise<WarmSandbox> {
    const { runtime, onConnection, maxSandboxes = 64 } = this.#options;
    if (this.#ending.signal.aborted) throw new Problem("unavailable", "Sallyport is stopping");
    if (this.#isFull())
      throw new Problem("resource_exhausted", `${maxSandboxes} sandboxes run commands: end some, or close a session`);
    this.#making += 1;
    try {
      const sandbox = await runtime.create(spec, AbortSignal.any([signal, this.#ending.signal]));
      if (onConnection !== undefined) sandbox.onConnection(onConnection);
      this.#open.set(sandbox, false);
      void sandbox.gone.then(() => this.#open.delete(sandbox));
      this.#startReaper();
      return sandbox;
    } finally {
      this.#making -= 1;
    }
  }

  #retireAll(entries: readonly Entry[]): void {
    for (const { making } of entries) void making.then((sandbox) => this.#retire(sandbox)).catch(() => {});
  }

  #retire(sandbox: WarmSandbox): void {
    if (this.#open.has(sandbox)) this.#open.set(sandbox, true);
  }

  #forget(which: (spec: SandboxSpec) => boolean): Entry[] {
    const found = [...this.#current].filter(([, entry]) => which(entry.spec));
    for (const [key] of found) this.#current.delete(key);
    return found.map(([, entry]) => entry);
  }

  async #closeOpen(which: (sandbox: WarmSandbox) => boolean): Promise<void> {
    await Promise.all([...this.#open.keys()].filter(which).map((sandbox) => sandbox.close()));
  }

  #startReaper(): void {
    const { idleMs = 15 * 60_000, retiredIdleMs = 10_000 } = this.#options;
    if (this.#reaper !== undefined) return;
    const period = Math.max(20, Math.min(idleMs, retiredIdleMs) / 2);
    this.#reaper = setInterval(() => this.#reap(idleMs, retiredIdleMs), period);
    this.#reaper.unref();
  }

  #reap(idleMs: number, retiredIdleMs: number): void {
    for (const [sandbox, retired] of this.#open)
      if (sandbox.idleMs >= (retired ? retiredIdleMs : idleMs)) void sandbox.close();
    if (this.#open.size > 0) return;
    clearInterval(this.#reaper);
    this.#reaper = undefined;
  }
}

function isForOnce(spec: SandboxSpec): boolean {
  return spec.scopes.some((scope) => scope.lasts === "once");
}
