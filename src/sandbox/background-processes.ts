import type { BackgroundEvent, BackgroundSlot, BackgroundTable } from "../model/background.ts";
import type { EntryId, SessionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import { createBackgroundWatchers } from "./background-watchers.ts";
import { KeptProcess } from "./kept-process.ts";

/** Bounds of the table, and whom it tells. */
export interface BackgroundOptions {
  /** Hears what `onEnd` of a process threw: nobody waits for it. */
  readonly onTrouble: (error: unknown) => void;
  /** Of one session's running processes; 32 where it is not given. */
  readonly maxRunning?: number;
  /** Of one session's ended processes: the oldest are forgotten; 32 where it is not given. */
  readonly maxEnded?: number;
  /** Of all sessions' together, running and ended; 256 where it is not given. */
  readonly maxTogether?: number;
  /** Output that is kept of each process, in bytes; 1 MiB where it is not given. */
  readonly ringBytes?: number;
  /** How long an ended process is remembered, in milliseconds; an hour where it is not given. */
  readonly rememberMs?: number;
}

/** The background processes, with what only their owner does. */
export interface BackgroundProcesses extends BackgroundTable {
  /** Forgets a session, whose sandboxes are closed. Resolves when the end of each of its processes was told. */
  forget(session: SessionId): Promise<void>;
  /** Resolves when the end of every process was told. */
  settled(): Promise<void>;
}

/** Makes an empty table. */
export function createBackgroundProcesses(options: BackgroundOptions): BackgroundProcesses {
  const { maxRunning = 32, maxEnded = 32, maxTogether = 256 } = options;
  const { ringBytes = 1024 * 1024, rememberMs = 3_600_000 } = options;
  /** In the order of their starts. */
  const kept = new Map<EntryId, KeptProcess>();
  const reserved: SessionId[] = [];
  const reading = new Map<KeptProcess, Promise<void>>();
  const watchers = createBackgroundWatchers();
  let sweeping: NodeJS.Timeout | undefined;

  return { reserve, find, list, watch, forget, settled };

  function reserve(session: SessionId): BackgroundSlot {
    const running = [...kept.values()].filter((each) => each.end === undefined && each.session === session).length;
    if (running + reserved.filter((each) => each === session).length >= maxRunning)
      throw new Problem("resource_exhausted", `${maxRunning} background processes run in this session already`);
    while (kept.size + reserved.length >= maxTogether) {
      const ended = [...kept.values()].find((each) => each.end !== undefined);
      if (ended === undefined)
        throw new Problem("resource_exhausted", `${maxTogether} background processes run already`);
      kept.delete(ended.id);
    }
    reserved.push(session);
    let open = true;
    const release = (): void => {
      if (open) reserved.splice(reserved.indexOf(session), 1);
      open = false;
    };
    return {
      release,
      async keep(process, facts, onEnd) {
        const first = await process.events[Symbol.asyncIterator]().next();
        if (first.done === true || first.value.kind !== "started")
          throw new Problem("unavailable", "the sandbox ended before the process did");
        const found = new KeptProcess(process, first.value.pid, facts, ringBytes);
        release();
        kept.set(found.id, found);
        watchers.emit({ kind: "started", process: found });
        reading.set(found, finish(found, onEnd));
        return found;
      },
    };
  }

  async function finish(found: KeptProcess, onEnd: Parameters<BackgroundSlot["keep"]>[2]): Promise<void> {
    const end = await found.read();
    reading.delete(found);
    try {
      onEnd(end, found.bytes);
    } catch (error) {
      options.onTrouble(error);
    }
    const ended = [...kept.values()].filter((each) => each.end !== undefined && each.session === found.session);
    for (const each of ended.slice(0, Math.max(0, ended.length - maxEnded))) kept.delete(each.id);
    sweepLater();
    watchers.emit({ kind: "ended", process: found });
  }

  /** One timer for all that ended. */
  function sweepLater(): void {
    sweeping ??= setTimeout(sweep, Math.ceil(rememberMs / 10)).unref();
  }

  function sweep(): void {
    sweeping = undefined;
    const before = performance.now() - rememberMs;
    for (const each of kept.values()) if ((each.endedAt ?? Infinity) <= before) kept.delete(each.id);
    if ([...kept.values()].some((each) => each.end !== undefined)) sweepLater();
  }

  function find(session: SessionId, id: EntryId): KeptProcess | undefined {
    const found = kept.get(id);
    return found?.session === session ? found : undefined;
  }

  function list(session: SessionId): readonly KeptProcess[] {
    return [...kept.values()].filter((each) => each.session === session).toReversed();
  }

  function watch(session: SessionId, signal: AbortSignal): AsyncGenerator<BackgroundEvent> {
    const present = list(session).toReversed();
    return watchers.watch(
      session,
      present.map((process) => ({ kind: "present", process })),
      signal,
    );
  }

  async function forget(session: SessionId): Promise<void> {
    await endOf([...reading].filter(([each]) => each.session === session));
    for (const each of list(session)) kept.delete(each.id);
  }

  function settled(): Promise<void> {
    return endOf([...reading]);
  }

  async function endOf(which: readonly (readonly [KeptProcess, Promise<void>])[]): Promise<void> {
    // A caller who stands still must not hold this up.
    for (const [each] of which) each.letGo();
    await Promise.all(which.map(([, ended]) => ended));
  }
}
