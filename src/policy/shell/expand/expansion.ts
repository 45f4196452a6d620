import type { Word as WordNode, WordPart } from "unbash";
import type { ShellState } from "../state/shell-state.ts";
import type { Walk } from "../walk/walk.ts";
import type { Atom } from "./atom.ts";

/** What expanding one command's words needs, and what it leaves behind. */
export interface Expansion {
  readonly state: ShellState;
  readonly walk: Walk;
  /** Variables that an expansion sets (`${x:=y}`, `$((x = 1))`), with the value that they may well get. Undefined: none. */
  readonly assigned: ReadonlyMap<string, string | undefined> | undefined;
  /** Notes that an expansion sets a variable. */
  assign(name: string, guess: string | undefined): void;
  /** Turns a word inside this one into atoms. */
  flattenWord(word: WordNode): Atom[];
  /** Turns parts that stand inside quotes into atoms. */
  flattenQuoted(parts: readonly WordPart[]): Atom[];
}
