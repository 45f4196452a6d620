import type { Word as WordNode, WordPart } from "unbash";
import type { ShellState } from "../state/shell-state.ts";
import type { Walk } from "../walk/walk.ts";
import type { Atom } from "./atom.ts";

/** What expanding one command's words needs, and what it leaves behind. */
export interface Expansion {
  readonly state: ShellState;
  readonly walk: Walk;
  /** Variables that an expansion sets (`${x:=y}`, `$((x = 1))`), with the value that they may well get. */
  readonly assigned: Map<string, string | undefined>;
  /** Turns a word inside this one into atoms. */
  readonly flattenWord: (word: WordNode) => Atom[];
  /** Turns parts that stand inside quotes into atoms. */
  readonly flattenQuoted: (parts: readonly WordPart[]) => Atom[];
}
