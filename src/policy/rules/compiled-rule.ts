import type { Rule } from "../../model/rule.ts";
import type { PathShape } from "./path-pattern.ts";
import type { WordPattern } from "./word-pattern.ts";

/** The patterns of a rule, read as text patterns. */
export interface TextPatterns {
  readonly match: readonly WordPattern[];
  readonly exclude: readonly WordPattern[];
}

/** A rule with its patterns read. Its file patterns for `match` lie in the index that led to it. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly words: TextPatterns;
  /** The same patterns, for hosts and addresses. */
  readonly web: TextPatterns;
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
