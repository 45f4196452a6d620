import type { CommandNode, ParsedScript, Statement } from "unbash";
import type { AbsolutePath } from "../../../model/absolute-path.ts";
import type { OpaqueCause } from "../../../model/effect.ts";
import type { Facts } from "../../../model/facts.ts";
import { limits } from "../limits.ts";
import type { Work } from "../../work.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import type { ShellState } from "../state/shell-state.ts";
import type { Invocation } from "./invocation.ts";
import type { Outcome, Output } from "./outcome.ts";

/** What the walk finds, in the order of the text. */
export type Found =
  /** A command that would run. `checked: false`: the blocklist is not asked, because a `check` speaks for it. */
  | { readonly kind: "command"; readonly command: SimpleCommand; readonly checked: boolean }
  /** A command that might run: only the blocklist is asked. */
  | { readonly kind: "check"; readonly command: SimpleCommand }
  /** A file whose being there the shell itself looks at: a test, or a pattern that becomes a list. */
  | { readonly kind: "named"; readonly word: Word; readonly cwds: readonly (AbsolutePath | undefined)[] }
  /** A function or text that starts itself more than once without end. */
  | { readonly kind: "bomb"; readonly text: string }
  | { readonly kind: "opaque"; readonly text: string; readonly why: string; readonly cause: OpaqueCause };

/** Counters that all levels of one analysis share. They only grow, and bound its cost. */
export interface Budget {
  /** Units of inner texts that were parsed. */
  reparsed: number;
  /** Units of inner texts that the cross-check read. */
  covered: number;
  /** Units of values that expansions put into words. */
  expanded: number;
}

/** What every step of a walk needs. */
export interface Walk {
  readonly facts: Facts;
  readonly emit: (found: Found) => void;
  readonly budget: Budget;
  /** Bounds what is done for the whole command. */
  readonly work: Work;
  /** The text that this step is a part of. */
  readonly source: string;
  /** Texts that were not walked to the end, because they nest too deep: they get a last look. */
  readonly cut: Set<string>;
  /** How deep in compound commands and substitutions this step lies. */
  readonly depth: number;
  /** How deep in texts inside texts. */
  readonly inline: number;
  /** Names of functions whose bodies are being walked. */
  readonly calls: readonly string[];
  /** Forms of the wrappers around this text, outermost first. */
  readonly wrappers: readonly (readonly Word[])[];
  /** Where an inline text stands in the outer one; undefined at the top, where nodes know it themselves. */
  readonly span: { readonly start: number; readonly end: number } | undefined;
  /** Where a path really leads, through the links of the text and of the machine; undefined: that cannot be told. */
  readonly real: (path: AbsolutePath) => AbsolutePath | undefined;
  /** Symbolic links that the text made so far. */
  readonly links: ReadonlyMap<AbsolutePath, AbsolutePath>;
  readonly steps: Steps;
}

/** `$(…)`, backticks, `<(…)`, `>(…)`. Reading `script` parses it, which costs. */
export interface Substitution {
  readonly text: string;
  readonly pos: number;
  readonly end: number;
  readonly script: ParsedScript | undefined;
}

/** Steps that need each other. Handing them around keeps the modules free of circles. */
export interface Steps {
  /** Runs statements one after the other. */
  statements(list: readonly Statement[], state: ShellState, walk: Walk): Outcome;
  /** Runs one command of a pipeline. */
  node(node: CommandNode, state: ShellState, walk: Walk): Outcome;
  /** Runs a command whose words are known as far as they can be. */
  invoke(call: Invocation, walk: Walk): Outcome;
  /** Walks the script of a substitution in a shell of its own, and gives its output. */
  substitution(part: Substitution, state: ShellState, walk: Walk): Output | undefined;
  /** Parses and walks a text inside a text. */
  text(text: string, state: ShellState, walk: Walk): Outcome;
}

/** A walk whose findings only the blocklist looks at. */
export function onlyChecking(walk: Walk): Walk {
  return {
    ...walk,
    emit(found) {
      if (found.kind === "command" && found.checked) walk.emit({ kind: "check", command: found.command });
      else if (found.kind === "check" || found.kind === "bomb") walk.emit(found);
    },
  };
}

/** Reports a part that cannot be seen. */
export function opaque(walk: Walk, text: string, why: string, cause: OpaqueCause): void {
  walk.emit({ kind: "opaque", text, why, cause });
}

/** Reports a part that nests too deep to be walked. */
export function tooDeep(walk: Walk, text: string, why: string): void {
  opaque(walk, text, why, "unread");
  walk.cut.add(walk.source);
}

/** Takes the use of a value from the budget; false where that much is not left. */
export function mayExpand({ budget }: Walk, units: number): boolean {
  if (units <= limits.shortUnits) return true;
  if (budget.expanded + units > limits.expandedUnits) return false;
  budget.expanded += units;
  return true;
}

/** Reports the patterns among words that become a list, not a command's words. */
export function namePatterns(words: readonly Word[], { cwds }: ShellState, walk: Walk): void {
  for (const word of words) if (word.kind === "glob") walk.emit({ kind: "named", word, cwds });
}

/** Takes the parsing of an inner text from the budget; false where that much is not left. */
export function mayReparse({ budget, work, inline }: Walk, text: string): boolean {
  // The whole text is read once anyway.
  if (inline >= 0) work.spend(text.length / 10);
  if (budget.reparsed + text.length > limits.reparsedUnits) return false;
  budget.reparsed += text.length;
  return true;
}
