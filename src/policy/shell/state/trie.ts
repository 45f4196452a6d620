/**
 * A node of a hash trie that is never changed: a new version shares all but the way to what differs (P. Bagwell, Ideal Hash Trees). Five bits of a name's hash choose
 * the way at each level.
 */
export type Node<V> = Branch<V> | Leaf<V>;

/** Entries of one hash: nearly always one. */
export interface Leaf<V> {
  readonly kind: "leaf";
  readonly hash: number;
  readonly entries: readonly (readonly [name: string, value: V])[];
  /** What at least one value below has; see {@link Traits}. */
  readonly traits: number;
  readonly size: number;
}

interface Branch<V> {
  readonly kind: "branch";
  /** A bit for each child that is there. */
  readonly bitmap: number;
  readonly children: readonly Node<V>[];
  readonly traits: number;
  readonly size: number;
}

/** Says of a value what matters about it, a bit each, so that whole parts of a trie without such values can be left as they are. */
export type Traits<V> = (value: V) => number;

/** FNV-1a over UTF-16 units. Names that collide share a leaf: they cost time, no more than a list would. */
export function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export function find<V>(start: Node<V> | undefined, hash: number, name: string): V | undefined {
  let node = start;
  for (let shift = 0; node?.kind === "branch"; shift += 5) {
    const bit = bitAt(hash, shift);
    node = (node.bitmap & bit) === 0 ? undefined : node.children[indexOf(node.bitmap, bit)];
  }
  return node?.hash === hash ? node.entries.find(([each]) => each === name)?.[1] : undefined;
}

export function leafOf<V>(hash: number, entries: Leaf<V>["entries"], traitsOf: Traits<V>): Leaf<V> {
  let traits = 0;
  for (const [, value] of entries) traits |= traitsOf(value);
  return { kind: "leaf", hash, entries, traits, size: entries.length };
}

/** What becomes of the values of two tries that are put together. The same node on both sides is kept as it is; of two that are alike the other's. */
export interface Joining<V> {
  readonly traitsOf: Traits<V>;
  /** Traits of values that change where the other side has none of that name. */
  readonly alone: number;
  join(one: V | undefined, other: V | undefined): V;
}

export function merge<V>(
  a: Node<V> | undefined,
  b: Node<V> | undefined,
  shift: number,
  how: Joining<V>,
): Node<V> | undefined {
  if (a === b) return a;
  if (a === undefined)
    return b === undefined ? undefined : change(b, how.alone, how.traitsOf, (value) => how.join(undefined, value));
  if (b === undefined) return change(a, how.alone, how.traitsOf, (value) => how.join(value, undefined));
  if (a.kind === "leaf" && b.kind === "leaf" && a.hash === b.hash) return mergeLeaves(a, b, how);
  const one = branchOf(a, shift);
  const two = branchOf(b, shift);
  const bitmap = one.bitmap | two.bitmap;
  const children: Node<V>[] = [];
  let isOne = a.kind === "branch";
  let isTwo = b.kind === "branch";
  for (let rest = bitmap; rest !== 0;) {
    const bit = rest & -rest;
    rest ^= bit;
    const mine = childAt(one, bit);
    const its = childAt(two, bit);
    const child = merge(mine, its, shift + 5, how);
    isOne &&= child === mine;
    isTwo &&= child === its;
    if (child !== undefined) children.push(child);
  }
  return isTwo ? b : isOne ? a : branch(bitmap, children);
}

/**
 * Many tries put together. Versions of one map differ in few places each, so that at every place there are far fewer different nodes than versions; merged one after the
 * other, each would meet all that the ones before have changed.
 */
export function mergeMany<V>(
  all: ReadonlySet<Node<V> | undefined>,
  shift: number,
  how: Joining<V>,
): Node<V> | undefined {
  const nodes = [...all];
  if (nodes.length <= 2) return nodes.length < 2 ? nodes[0] : merge(nodes[0], nodes[1], shift, how);
  const there = nodes.filter((node) => node !== undefined);
  const hash = there[0]?.kind === "leaf" ? there[0].hash : undefined;
  if (hash !== undefined && there.every((node) => node.kind === "leaf" && node.hash === hash))
    return nodes.reduce((merged, node) => merge(merged, node, shift, how));
  const branches = there.map((node) => branchOf(node, shift));
  const bitmap = branches.reduce((bits, node) => bits | node.bitmap, 0);
  const children: Node<V>[] = [];
  for (let rest = bitmap; rest !== 0;) {
    const bit = rest & -rest;
    rest ^= bit;
    const below = new Set(branches.map((node) => childAt(node, bit)));
    if (all.has(undefined)) below.add(undefined);
    const child = mergeMany(below, shift + 5, how);
    if (child !== undefined) children.push(child);
  }
  return branch(bitmap, children);
}

/** The trie with the values changed that have one of these traits. All others are kept as they are. */
export function change<V>(node: Node<V>, mask: number, traitsOf: Traits<V>, act: (value: V) => V): Node<V> {
  if ((node.traits & mask) === 0) return node;
  if (node.kind === "branch")
    return branch(
      node.bitmap,
      node.children.map((child) => change(child, mask, traitsOf, act)),
    );
  const entries = node.entries.map(([name, value]): readonly [string, V] => [
    name,
    (traitsOf(value) & mask) === 0 ? value : act(value),
  ]);
  return leafOf(node.hash, entries, traitsOf);
}

/** The trie with only the values that have one of these traits. */
export function only<V>(node: Node<V>, mask: number, traitsOf: Traits<V>): Node<V> | undefined {
  if ((node.traits & mask) === 0) return undefined;
  if (node.kind === "leaf") {
    const entries = node.entries.filter(([, value]) => (traitsOf(value) & mask) !== 0);
    return entries.length === node.entries.length ? node : leafOf(node.hash, entries, traitsOf);
  }
  let bitmap = 0;
  const children: Node<V>[] = [];
  for (let rest = node.bitmap; rest !== 0;) {
    const bit = rest & -rest;
    rest ^= bit;
    const old = childAt(node, bit);
    const child = old === undefined ? undefined : only(old, mask, traitsOf);
    if (child === undefined) continue;
    bitmap |= bit;
    children.push(child);
  }
  return branch(bitmap, children);
}

/** The trie without a name. */
export function remove<V>(
  node: Node<V>,
  shift: number,
  hash: number,
  name: string,
  traitsOf: Traits<V>,
): Node<V> | undefined {
  if (node.kind === "leaf") {
    const entries = node.hash === hash ? node.entries.filter(([each]) => each !== name) : node.entries;
    if (entries.length === node.entries.length) return node;
    return entries.length === 0 ? undefined : leafOf(hash, entries, traitsOf);
  }
  const bit = bitAt(hash, shift);
  const old = childAt(node, bit);
  const child = old === undefined ? undefined : remove(old, shift + 5, hash, name, traitsOf);
  if (child === old) return node;
  const at = indexOf(node.bitmap, bit);
  const children = node.children.toSpliced(at, 1, ...(child === undefined ? [] : [child]));
  if (children.length === 0) return undefined;
  return branch(child === undefined ? node.bitmap ^ bit : node.bitmap, children);
}

export function* entriesOf<V>(node: Node<V> | undefined): Generator<readonly [string, V]> {
  if (node === undefined) return;
  if (node.kind === "leaf") yield* node.entries;
  else for (const child of node.children) yield* entriesOf(child);
}

function mergeLeaves<V>(a: Leaf<V>, b: Leaf<V>, how: Joining<V>): Node<V> {
  const names = new Set([...a.entries, ...b.entries].map(([name]) => name));
  const entries = Array.from(names, (name): readonly [string, V] => [
    name,
    how.join(find(a, a.hash, name), find(b, b.hash, name)),
  ]);
  const is = (leaf: Leaf<V>): boolean =>
    entries.length === leaf.entries.length && entries.every(([name, value]) => value === find(leaf, leaf.hash, name));
  return is(b) ? b : is(a) ? a : leafOf(a.hash, entries, how.traitsOf);
}

function branchOf<V>(node: Node<V>, shift: number): Branch<V> {
  return node.kind === "branch" ? node : branch(bitAt(node.hash, shift), [node]);
}

function branch<V>(bitmap: number, children: readonly Node<V>[]): Branch<V> {
  let traits = 0;
  let size = 0;
  for (const child of children) {
    traits |= child.traits;
    size += child.size;
  }
  return { kind: "branch", bitmap, children, traits, size };
}

function childAt<V>(node: Branch<V>, bit: number): Node<V> | undefined {
  return (node.bitmap & bit) === 0 ? undefined : node.children[indexOf(node.bitmap, bit)];
}

function bitAt(hash: number, shift: number): number {
  return 1 << ((hash >>> shift) & 31);
}

/** How many children stand before this one. */
function indexOf(bitmap: number, bit: number): number {
  let rest = bitmap & (bit - 1);
  rest -= (rest >>> 1) & 0x55555555;
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
