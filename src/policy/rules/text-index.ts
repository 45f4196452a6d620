import type { CompiledRule } from "./compiled-rule.ts";
import { matchesWords, type WordPattern } from "./word-pattern.ts";

/** Longest leading literal that is used as a key, in UTF-16 units. */
const keyLength = 64;

interface Entry {
  readonly pattern: WordPattern;
  readonly rule: CompiledRule;
}

/** Text patterns by their leading literal, so that one look-up costs about the same for ten rules and for ten thousand. */
export class TextIndex {
  readonly #exact = new Map<string, CompiledRule[]>();
  readonly #byHead = new Map<string, Entry[]>();
  readonly #lengths = new Set<number>();

  add(pattern: WordPattern, rule: CompiledRule): void {
    if (pattern.tail === undefined) {
      push(this.#exact, pattern.head, rule);
      return;
    }
    const key = pattern.head.slice(0, keyLength);
    this.#lengths.add(key.length);
    push(this.#byHead, key, { pattern, rule });
  }

  get isEmpty(): boolean {
    return this.#exact.size === 0 && this.#byHead.size === 0;
  }

  /** Adds the rules with a pattern that matches; a set is made where there is a first one. `stars`: false leaves out every pattern that has a `*`. */
  find(text: string, stars: boolean, before: Set<CompiledRule> | undefined): Set<CompiledRule> | undefined {
    let found = before;
    for (const rule of this.#exact.get(text) ?? []) (found ??= new Set()).add(rule);
    if (!stars) return found;
    for (const length of this.#lengths) {
      if (length > text.length) continue;
      for (const { pattern, rule } of this.#byHead.get(text.slice(0, length)) ?? [])
        if (matchesWords(pattern, text)) (found ??= new Set()).add(rule);
    }
    return found;
  }
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
