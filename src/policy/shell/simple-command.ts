import type { AbsolutePath } from "../../model/absolute-path.ts";

/** A word after quote removal and expansion. */
export type Word = LiteralWord | GlobWord | DynamicWord;

/** Known to the last character. */
export interface LiteralWord {
  readonly kind: "literal";
  readonly value: string;
}

/** Unquoted glob characters are live; quoted ones are backslash-escaped in `pattern`. */
export interface GlobWord {
  readonly kind: "glob";
  readonly pattern: string;
}

/** Not known before it runs. */
export interface DynamicWord {
  readonly kind: "dynamic";
  /** As it was written. */
  readonly text: string;
  /** Known fragments in order; undefined stands for an unknown piece of any length. */
  readonly parts: readonly (string | undefined)[];
  readonly why: string;
  /** True where its unknown pieces were made from the text and from numbers alone, so that it hides no code from arithmetic. */
  readonly inert?: boolean;
  /** True where each unknown piece is a number or nothing: what stands beside them is all that the word may come to mean. */
  readonly number?: boolean;
  /** For a process substitution: what reading it gives, where that is known. */
  readonly contents?: string;
}

/** A file that the shell opens for a command. Here-documents and here-strings are `stdin`, not redirects. */
export interface Redirect {
  readonly operator: "read" | "write" | "append" | "read-write" | "duplicate" | "close";
  /** Undefined: the operator's own descriptor. */
  readonly fd: number | undefined;
  readonly target: Word;
}

/** One `NAME=value` before a command, or alone. */
export interface AssignedWord {
  readonly name: string;
  readonly value: Word;
  /** True where child processes see it: a prefix of a command, `env`, `export`. */
  readonly exported: boolean;
}

/** Where a command's standard input comes from. */
export type Stdin =
  | { readonly kind: "inherited" | "none" }
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "pipe" }
  | { readonly kind: "file"; readonly path: Word };

/** One program start, with everything that is known of it without running it. */
export interface SimpleCommand {
  /** Program first, wrappers already removed. Never empty of meaning: an assignment-only command has argv []. */
  readonly argv: readonly Word[];
  /** The wrapper's own forms, outermost first, that led here, such as [["env","X=1"...]] as word lists. */
  readonly wrappers: readonly (readonly Word[])[];
  readonly assignments: readonly AssignedWord[];
  readonly redirects: readonly Redirect[];
  /** Every folder the command may start in; undefined: unknown. Never empty. */
  readonly cwds: readonly (AbsolutePath | undefined)[];
  readonly stdin: Stdin;
  /** Source span in the text, UTF-16 units, for marking the part that needs an answer. */
  readonly span: { readonly start: number; readonly end: number };
  /** True where an earlier part of the text may have changed what names mean (function, alias, hash, enable, PATH...). */
  readonly tainted: boolean;
}
