import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A browser that is logged in. */
export interface Visit {
  /** Aborts when it is logged out or has expired. */
  readonly ended: AbortSignal;
}

/** The two secrets of a visit. Either alone is worth nothing. */
export interface VisitSecrets {
  /** For the cookie, which no script can read but every port of this host is sent. */
  readonly cookie: string;
  /** For the page's own storage, which belongs to this port alone; it comes back in a header. */
  readonly key: string;
}

/** How long a visit lasts, in milliseconds. */
export interface VisitTimes {
  /** Without a request. A stream that is open is none. */
  readonly idleMs: number;
  readonly longestMs: number;
}

/** Who is logged in. */
export interface Visits {
  /** Both secrets are always new, whatever the browser brought. */
  open(): VisitSecrets;
  /** The visit of these secrets, which is in use again; undefined for none. */
  find(cookie: string | undefined, key: string | undefined): Visit | undefined;
  end(visit: Visit): void;
  endAll(): void;
  /** Ends those that have expired. */
  sweep(): void;
  readonly count: number;
}

interface Kept extends Visit {
  readonly keyHash: Buffer;
  readonly stop: AbortController;
  readonly openedAt: number;
  usedAt: number;
}

/** Browsers at once; one more logs out the one that was quiet longest. */
const maxVisits = 32;

/** Keeps visits in memory, by the hashes of their secrets. A restart logs everybody out. `clock` gives milliseconds that never go back. */
export function createVisits({ idleMs, longestMs }: VisitTimes, clock: () => number): Visits {
  const kept = new Map<string, Kept>();

  function drop(id: string, visit: Kept): void {
    kept.delete(id);
    visit.stop.abort();
  }

  function isOver(visit: Kept): boolean {
    const now = clock();
    return now - visit.usedAt > idleMs || now - visit.openedAt > longestMs;
  }

  return {
    open() {
      const cookie = randomBytes(32).toString("base64url");
      const key = randomBytes(32).toString("base64url");
      const quietest = [...kept].toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
      for (const [id, visit] of quietest.slice(0, Math.max(0, kept.size - maxVisits + 1))) drop(id, visit);
      const stop = new AbortController();
      const now = clock();
      kept.set(hashOf(cookie).toString("hex"), {
        keyHash: hashOf(key),
        stop,
        ended: stop.signal,
        openedAt: now,
        usedAt: now,
      });
      return { cookie, key };
    },
    find(cookie, key) {
      if (cookie === undefined || key === undefined) return undefined;
      const id = hashOf(cookie).toString("hex");
      const visit = kept.get(id);
      if (visit === undefined || !timingSafeEqual(visit.keyHash, hashOf(key))) return undefined;
      if (isOver(visit)) {
        drop(id, visit);
        return undefined;
      }
      visit.usedAt = clock();
      return visit;
    },
    end(visit) {
      for (const [id, each] of kept) if (each === visit) drop(id, each);
    },
    endAll() {
      for (const [id, visit] of kept) drop(id, visit);
    },
    sweep() {
      for (const [id, visit] of kept) if (isOver(visit)) drop(id, visit);
    },
    get count() {
      return kept.size;
    },
  };
}

function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
