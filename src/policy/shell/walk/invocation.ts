import type { AssignedWord, Redirect, Word } from "../simple-command.ts";
import type { ShellState } from "../state/shell-state.ts";
import type { Span } from "./span.ts";

/** A command that is about to run, while its wrappers are taken off. */
export interface Invocation {
  readonly argv: readonly Word[];
  readonly assignments: readonly AssignedWord[];
  readonly redirects: readonly Redirect[];
  /** What the shell knows when it starts; its input included. */
  readonly state: ShellState;
  readonly span: Span;
  /** Forms of the wrappers around it, outermost first. */
  readonly wrappers: readonly (readonly Word[])[];
  /** How many wrappers were taken off. */
  readonly unwrapped?: number;
  /** True where another process starts it: it cannot be a function, and changes nothing in this shell. */
  readonly external: boolean;
  /** True where other words than these speak for it before the blocklist. */
  readonly unchecked?: boolean;
}
