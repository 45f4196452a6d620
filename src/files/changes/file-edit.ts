/** What is to be changed in a text. */
export type FileEdit =
  /** In order; each sees what those before it made. */
  | { readonly kind: "replacements"; readonly list: readonly Replacement[] }
  /** A unified diff; `fuzz`: lines of context that may differ in each of its parts. */
  | { readonly kind: "patch"; readonly text: string; readonly fuzz: number };

/** One text for another. */
export interface Replacement {
  /** Not empty. */
  readonly oldText: string;
  readonly newText: string;
  /** How often the old text must be there, from 1; overlapping places count once. */
  readonly count: number;
}
