import { pause, type Patience, waitWanted } from "../surface/pause.ts";
import type { SurfaceState } from "../surface/surface-state.ts";
import { exhausted } from "../text/exhausted.ts";
import type { BotApi } from "./bot-api.ts";
import { BotFailure } from "./bot-failure.ts";
import { readUpdate, type Update, updateNumber } from "./read-update.ts";

/** What polling works with. */
export interface PollParts {
  readonly api: Pick<BotApi, "me" | "updates">;
  readonly state: Pick<SurfaceState, "set">;
  readonly patience: Patience;
  /** Seconds that one call waits for updates. */
  readonly waitSeconds: number;
  /** Told of the bot's user name once it is known. */
  named(name: string): void;
  /** Never rejects. */
  take(update: Update): Promise<void>;
}

/** Updates that are worked on at a time. */
const mostAtOnce = 32;

/** Takes updates one answer after the other until the signal aborts, each number once. Never rejects: what fails is tried again, later and later. */
export async function pollUpdates(parts: PollParts, signal: AbortSignal): Promise<void> {
  const { api, state, patience } = parts;
  const working = new Set<Promise<void>>();
  let offset = 0;
  let known = false;
  // The first answer, and the first after a failure, is wanted at once: it says that all is well.
  let well = false;
  for (let failures = 0; !signal.aborted;) {
    try {
      if (!known) parts.named(await api.me(signal));
      known = true;
      const before = offset;
      const askedAt = performance.now();
      for (const raw of await api.updates(offset, well ? parts.waitSeconds : 0, signal)) {
        const number = updateNumber(raw);
        if (number === undefined || number < offset) continue;
        offset = number + 1;
        const update = readUpdate(raw);
        if (update === undefined) continue;
        const work = parts.take(update).finally(() => working.delete(work));
        working.add(work);
        if (working.size >= mostAtOnce) await Promise.race(working);
      }
      failures = 0;
      state.set(undefined);
      // A server that does not wait, or sends what is no update, is not asked without end.
      if (well && offset === before && performance.now() - askedAt < patience.least)
        await pause(patience.least, signal);
      well = true;
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      well = false;
      const failure = error instanceof BotFailure ? error : new BotFailure("unreachable", String(error));
      state.set(troubleOf(failure));
      await pause(waitWanted(failure.wantedMs, failures, patience), signal);
    }
  }
  await Promise.all(working);
}

function troubleOf({ kind, message }: BotFailure): string {
  switch (kind) {
    case "conflict":
      return "another program takes the updates of this bot: stop it, or remove the bot's webhook";
    case "unauthorized":
      return "Telegram does not know the token";
    case "limited":
      return "Telegram wants fewer calls";
    case "refused":
    case "unreachable":
      return message;
    default:
      return exhausted(kind);
  }
}
