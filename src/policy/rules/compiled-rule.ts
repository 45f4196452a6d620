import type { Rule } from "../../model/rule.ts";
import type { PathShape } from "./path-pattern.ts";
import type { WordPattern } from "./word-pattern.ts";

/** A rule with its patterns read. Its `match` patterns lie in the index that led to it. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly matchWords: readonly WordPattern[];
  readonly excludeWords: readonly WordPattern[];
  readonly excludePaths: readonly PathShape[];
}

/** A rule that speaks about an effect. */
export interface Hit {
  readonly rule: Rule;
  /** False where the effect is larger than what the rule is about: a folder that holds a denied file. */
  readonly whole: boolean;
}

/** What all rules say about one effect. */
export interface Hits {
  readonly deny: readonly Hit[];
  readonly ask: readonly Hit[];
  readonly allow: readonly Hit[];
}
