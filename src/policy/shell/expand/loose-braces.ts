import type { Atom } from "./atom.ts";
import { type Item, itemsOf, joinItems } from "./brace-items.ts";

/** Most words, and most items of all of them. */
const most = { words: 4096, items: 262_144 } as const;

/**
 * What the braces of a word may give where they give more words than are followed: every alternative by itself, with a star for each other group, and one word with stars for
 * all of them. Only the blocklist looks at it. Linear in the word but for the stars and what stands around them.
 */
export function looseBraces(atoms: readonly Atom[]): readonly (readonly Atom[])[] {
  const items = itemsOf(atoms);
  const groups = outermost(groupsIn(items));
  const words = [starred(items, groups, 0, items.length)];
  let size = 0;
  for (const { start, end, commas } of groups) {
    const before = starred(items, groups, 0, start);
    const after = starred(items, groups, end + 1, items.length);
    const edges = [start, ...commas, end];
    const inside = groupsIn(items.slice(start + 1, end)).map((group) => shifted(group, start + 1));
    for (let at = 0; at + 1 < edges.length; at += 1) {
      const from = (edges[at] ?? 0) + 1;
      const to = edges[at + 1] ?? from;
      const nested = outermost(inside.filter((group) => group.start >= from && group.end < to));
      size += before.length + after.length + to - from;
      if (words.length >= most.words || size > most.items) return words.map(joinItems);
      words.push([...before, ...starred(items, nested, from, to), ...after]);
    }
  }
  return words.map(joinItems);
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly commas: readonly number[];
}

/** All closed groups with a comma, in the order of their ends. Sequences such as `{1..9}` hold nothing to look at. */
function groupsIn(items: readonly Item[]): Group[] {
  const groups: Group[] = [];
  const open: { start: number; commas: number[] }[] = [];
  items.forEach((item, at) => {
    if (item === "{") open.push({ start: at, commas: [] });
    else if (item === ",") open.at(-1)?.commas.push(at);
    else if (item === "}") {
      const group = open.pop();
      if (group !== undefined && group.commas.length > 0) groups.push({ ...group, end: at });
    }
  });
  return groups;
}

/** Those that lie in no other one. */
function outermost(groups: readonly Group[]): Group[] {
  const found: Group[] = [];
  for (const group of groups) {
    while ((found.at(-1)?.start ?? -1) > group.start) found.pop();
    found.push(group);
  }
  return found;
}

function shifted({ start, end, commas }: Group, by: number): Group {
  return { start: start + by, end: end + by, commas: commas.map((comma) => comma + by) };
}

/** The items of a range with a star for each group in it. */
function starred(items: readonly Item[], groups: readonly Group[], from: number, to: number): Item[] {
  const found: Item[] = [];
  let at = from;
  for (const group of groups) {
    if (group.start < from || group.end >= to) continue;
    found.push(...items.slice(at, group.start), "*");
    at = group.end + 1;
  }
  return [...found, ...items.slice(at, to)];
}
