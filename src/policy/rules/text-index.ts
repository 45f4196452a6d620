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

  /** The rules with a pattern that matches. `stars`: false leaves out every pattern that has a `*`. */
  find(text: string, stars: boolean, found: Set<CompiledRule>): void {
    for (const rule of this.#exact.get(text) ?? []) found.add(rule);
    if (!stars) return;
    for (const length of this.#lengths) {
      if (length > text.length) continue;
      for (const { pattern, rule } of this.#byHead.get(text.slice(0, length)) ?? [])
        if (matchesWords(pattern, text)) found.add(rule);
    }
  }
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
