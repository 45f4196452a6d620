/** A text pattern: literal pieces with any sequence between them. The only special character is `*`. */
export interface WordPattern {
  readonly text: string;
  /** Everything before the first `*`; the whole text where there is none. */
  readonly head: string;
  /** Pieces between two `*`, empty ones left out, then the last piece. Undefined: no `*` at all. */
  readonly tail: { readonly middle: readonly string[]; readonly last: string } | undefined;
}

/** Longest pattern in UTF-16 units: longer ones are refused at load. */
export const maxPatternLength = 4096;

/** Reads a text pattern; every string is one. */
export function parseWordPattern(text: string): WordPattern {
  const [head = "", ...rest] = text.split("*");
  const last = rest.pop();
  if (last === undefined) return { text, head, tail: undefined };
  return { text, head, tail: { middle: rest.filter((piece) => piece !== ""), last } };
}

/** Matches in one pass from left to right: for `*` alone the leftmost place of each piece is always the best one. */
export function matchesWords(pattern: WordPattern, text: string): boolean {
  const { head, tail } = pattern;
  if (tail === undefined) return text === head;
  if (!text.startsWith(head) || !text.endsWith(tail.last)) return false;
  const end = text.length - tail.last.length;
  let at = head.length;
  for (const piece of tail.middle) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= end;
}
