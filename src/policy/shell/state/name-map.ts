import {
  change,
  entriesOf,
  find,
  hashOf,
  leafOf,
  merge,
  mergeMany,
  type Node,
  only,
  remove,
  type Traits,
} from "./trie.ts";

/** How two maps become one. */
export interface NameJoin<V> {
  /** Traits of values that change where the other map has none of that name. */
  readonly alone: number;
  readonly join: (one: V | undefined, other: V | undefined) => V;
}

/**
 * Values by name, never changed in place: every version shares with the one it came from all that is the same, and parts that are the same cost nothing when two
 * versions are put together. So a text may set as many names as it likes, in as many branches.
 */
export class NameMap<V> {
  readonly #traitsOf: Traits<V>;
  readonly #root: Node<V> | undefined;

  constructor(traitsOf: Traits<V>, root?: Node<V>) {
    this.#traitsOf = traitsOf;
    this.#root = root;
  }

  get size(): number {
    return this.#root?.size ?? 0;
  }

  get(name: string): V | undefined {
    return this.#root === undefined ? undefined : find(this.#root, hashOf(name), name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  set(name: string, value: V): NameMap<V> {
    const leaf = leafOf(hashOf(name), [[name, value]], this.#traitsOf);
    const how = {
      traitsOf: this.#traitsOf,
      alone: 0,
      join: (one: V | undefined, other: V | undefined) => other ?? one ?? value,
    };
    return this.#with(merge(this.#root, leaf, 0, how));
  }

  without(name: string): NameMap<V> {
    return this.#root === undefined ? this : this.#with(remove(this.#root, 0, hashOf(name), name, this.#traitsOf));
  }

  /** With the values changed that have one of these traits. */
  change(mask: number, act: (value: V) => V): NameMap<V> {
    return this.#root === undefined ? this : this.#with(change(this.#root, mask, this.#traitsOf, act));
  }

  /** With only the values that have one of these traits. */
  only(mask: number): NameMap<V> {
    return this.#root === undefined ? this : this.#with(only(this.#root, mask, this.#traitsOf));
  }

  merge(others: readonly NameMap<V>[], how: NameJoin<V>): NameMap<V> {
    const roots = new Set([this.#root, ...others.map((other) => other.#root)]);
    return this.#with(mergeMany(roots, 0, { ...how, traitsOf: this.#traitsOf }));
  }

  /** True where both hold the same names with values that are `same`. */
  equals(other: NameMap<V>, same: (one: V, other: V) => boolean): boolean {
    if (this.#root === other.#root) return true;
    if (this.size !== other.size) return false;
    for (const [name, value] of this) {
      const its = other.get(name);
      if (its === undefined || !same(value, its)) return false;
    }
    return true;
  }

  [Symbol.iterator](): Generator<readonly [string, V]> {
    return entriesOf(this.#root);
  }

  #with(root: Node<V> | undefined): NameMap<V> {
    return root === this.#root ? this : new NameMap(this.#traitsOf, root);
  }
}
