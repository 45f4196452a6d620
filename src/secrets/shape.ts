/** A part of a text: first index, and the index after the last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What a shape made of one place. */
export interface Found {
  /** What is struck; empty where the place is no secret after all. */
  readonly strike: readonly Span[];
  /**
   * Where this shape looks on. Everything before it was looked at and needs no second look, which keeps the whole scan linear:
   * a shape never reads a character more than a fixed number of times.
   */
  readonly resume: number;
}

/** How one kind of secret looks in text. */
export interface Shape {
  /** Named in the mark that replaces the secret, such as `github`. */
  readonly id: string;
  /** Where to look: every occurrence of one of these. Two characters each at least. */
  readonly literals: readonly string[];
  /** True where the case of ASCII letters in `literals` does not matter; they are lower-case then. */
  readonly anyCase: boolean;
  /** Looks at the literal that lies from `at` to before `after`. */
  look(text: string, at: number, after: number): Found;
}

/** The answer of a shape that found nothing. */
export function nothing(resume: number): Found {
  return { strike: [], resume };
}

/** The answer of a shape that found one secret. */
export function strike(from: number, to: number): Found {
  return { strike: [{ from, to }], resume: to };
}
