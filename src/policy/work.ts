/** Work that one command may make the analysis do, in rough microseconds: it is counted, not timed, so that a text gets the same answer on every machine. */
export const mostUnits = 10_000;

/** Thrown where the work for one command is used up. Whoever catches it denies the command: nobody has looked at the rest. */
export class TooMuchWork extends Error {}

/** Counts what the analysis of one command does, over all shells and texts in it. */
export interface Work {
  /** True once more was asked for than there is. It stays so. */
  readonly isSpent: boolean;
  /** @throws TooMuchWork from then on. */
  spend(units: number): void;
}

/** Starts counting. */
export function createWork(units = mostUnits): Work {
  let left = units;
  return {
    get isSpent() {
      return left < 0;
    },
    spend(part) {
      left -= part;
      if (left < 0) throw new TooMuchWork("the command has more parts than are looked at");
    },
  };
}
