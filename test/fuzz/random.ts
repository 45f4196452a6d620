/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number;
  /** True with this probability. */
  chance(share: number): boolean;
  pick<const T>(items: readonly [T, ...T[]]): T;
}

/** mulberry32: 32 bits of state, good enough to wander with. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    chance: (share) => next() < share,
    pick: (items) => items[int(items.length)] ?? items[0],
  };
}
