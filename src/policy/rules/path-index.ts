import { type AbsolutePath, parentOf } from "../../model/absolute-path.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { PathShape } from "./path-pattern.ts";

/** A file pattern with the rule it belongs to. */
export interface PathEntry {
  readonly shape: PathShape;
  readonly rule: CompiledRule;
}

/** File patterns by their fixed part: only those above a path, or below the root of a subtree, can meet it. */
export class PathIndex {
  readonly #byFixed = new Map<AbsolutePath, PathEntry[]>();
  #sorted: AbsolutePath[] | undefined;

  add(shape: PathShape, rule: CompiledRule): void {
    const list = this.#byFixed.get(shape.fixed);
    if (list === undefined) {
      this.#byFixed.set(shape.fixed, [{ shape, rule }]);
      this.#sorted = undefined;
    } else list.push({ shape, rule });
  }

  get isEmpty(): boolean {
    return this.#byFixed.size === 0;
  }

  /** Every entry that may meet a path of this fixed part; `below`: also those deeper than it. */
  candidates(fixed: AbsolutePath, below: boolean): readonly PathEntry[] {
    if (this.#byFixed.size === 0) return none;
    let found: readonly PathEntry[] = none;
    const add = (entries: readonly PathEntry[] | undefined): void => {
      if (entries !== undefined) found = found.length === 0 ? entries : [...found, ...entries];
    };
    for (let at = fixed; ; at = parentOf(at)) {
      add(this.#byFixed.get(at));
      if (at === "/") break;
    }
    return below ? [...found, ...this.#deeper(fixed)] : found;
  }

  *#deeper(fixed: AbsolutePath): Iterable<PathEntry> {
    const keys = (this.#sorted ??= [...this.#byFixed.keys()].sort());
    const prefix = fixed === "/" ? "/" : `${fixed}/`;
    for (let at = firstAtLeast(keys, prefix); at < keys.length; at += 1) {
      const key = keys[at];
      if (key === undefined || !key.startsWith(prefix)) break;
      if (key !== fixed) yield* this.#byFixed.get(key) ?? [];
    }
  }
}

const none: readonly PathEntry[] = [];

function firstAtLeast(keys: readonly string[], wanted: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
