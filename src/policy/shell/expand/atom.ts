import type { Word } from "../simple-command.ts";

/** A piece of a word after quote removal and parameter expansion, before splitting and globbing. */
export type Atom = TextAtom | ValueAtom | MatchAtom | ListAtom | UnknownAtom;

/** Written text. Unquoted text may hold live braces, tilde and glob characters. */
export interface TextAtom {
  readonly kind: "text";
  readonly text: string;
  readonly quoted: boolean;
}

/** The value of an unquoted expansion: split into words, its glob characters live, but neither braces nor tilde. */
export interface ValueAtom {
  readonly kind: "value";
  readonly text: string;
}

/** The name of some file that a pattern matches, as a loop over files gives it. */
export interface MatchAtom {
  readonly kind: "match";
  readonly pattern: string;
}

/** Arguments that stay words of their own, as `"$@"` gives them. */
export interface ListAtom {
  readonly kind: "list";
  readonly items: readonly Word[];
}

/** Something that is known only when it runs. */
export interface UnknownAtom {
  readonly kind: "unknown";
  readonly text: string;
  readonly why: string;
  readonly quoted: boolean;
  /** True where it was made from the text and from numbers alone, so that it hides no code from arithmetic. */
  readonly inert?: boolean;
  /** True where it is a number or nothing. */
  readonly number?: boolean;
  /** What it may well be. Only the blocklist looks at it. */
  readonly guess?: string;
  /** For a process substitution: what reading it gives. */
  readonly contents?: string;
}

export function quotedText(text: string): TextAtom {
  return { kind: "text", text, quoted: true };
}

export function plainText(text: string): TextAtom {
  return { kind: "text", text, quoted: false };
}
