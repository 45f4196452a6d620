/** Slows down whoever guesses passwords. */
export interface LoginLimits {
  /** Takes one guess: 0 where it may be tried, else the milliseconds until the next may. A guess that is refused costs nothing. */
  take(address: string): number;
  /** The last guess of this address was right: its guesses are forgotten, and nobody else's. */
  right(address: string): void;
  /** Forgets everything, as after a new password. */
  clear(): void;
}

/** What one counter allows. */
interface Allowance {
  /** Guesses before the first wait. */
  readonly free: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

interface Count {
  guesses: number;
  waitUntil: number;
  lastAt: number;
}

const eachAddress: Allowance = { free: 5, firstWaitMs: 30_000, longestWaitMs: 15 * 60_000 };
/** Against guesses from many addresses. */
const everybody: Allowance = { free: 60, firstWaitMs: 10_000, longestWaitMs: 60_000 };
/** Guesses are forgotten after this long without one. */
const forgottenAfterMs = 60 * 60_000;
/** Addresses that are remembered; the one that was quiet longest is forgotten first, and still counted with everybody. */
const maxAddresses = 1024;

/** Makes limits in memory. After some free guesses each further one doubles the wait. `clock` gives milliseconds that never go back. */
export function createLoginLimits(clock: () => number): LoginLimits {
  const addresses = new Map<string, Count>();
  let all: Count = { guesses: 0, waitUntil: 0, lastAt: 0 };

  function countOf(key: string, now: number): Count {
    const known = addresses.get(key);
    const count = known === undefined || now - known.lastAt > forgottenAfterMs ? fresh(now) : known;
    addresses.delete(key);
    addresses.set(key, count);
    const [quietest] = addresses.keys();
    if (addresses.size > maxAddresses && quietest !== undefined) addresses.delete(quietest);
    return count;
  }

  return {
    take(address) {
      const now = clock();
      if (now - all.lastAt > forgottenAfterMs) all = fresh(now);
      const own = countOf(networkOf(address), now);
      const waitMs = Math.max(own.waitUntil, all.waitUntil) - now;
      if (waitMs > 0) return waitMs;
      // Counted before it is tried, so that many at once are no way around.
      add(own, eachAddress, now);
      add(all, everybody, now);
      return 0;
    },
    right(address) {
      addresses.delete(networkOf(address));
      all.guesses = Math.max(0, all.guesses - 1);
    },
    clear() {
      addresses.clear();
      all = fresh(clock());
    },
  };
}

function fresh(now: number): Count {
  return { guesses: 0, waitUntil: 0, lastAt: now };
}

function add(count: Count, { free, firstWaitMs, longestWaitMs }: Allowance, now: number): void {
  count.guesses += 1;
  count.lastAt = now;
  if (count.guesses < free) return;
  count.waitUntil = now + Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(20, count.guesses - free));
}

/** IPv6 by its /64, of which one person has all addresses. */
function networkOf(address: string): string {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (v4 !== undefined) return v4;
  const [left = "", right] = address.split("%", 1).join("").split("::");
  const before = left === "" ? [] : left.split(":");
  const after = right === undefined || right === "" ? [] : right.split(":");
  const zeros = right === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4).join(":");
}
