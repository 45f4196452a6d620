import { alphabet, alphanumeric, digits, runEnd, type Alphabet } from "./alphabet.ts";
import { nothing, strike, type Shape } from "./shape.ts";

/** A secret that is a fixed beginning and a run of characters. */
export interface TokenForm {
  readonly id: string;
  readonly prefixes: readonly string[];
  readonly alphabet: Alphabet;
  /** Characters after the prefix, at least. The whole run is struck. */
  readonly min: number;
  /** Where given, a longer run is something else, such as a hash. */
  readonly max?: number;
  /** True where the prefix is a common part of words: no letter or digit may stand before it, and the run holds a digit. */
  readonly common?: boolean;
}

const wordCharacter = alphabet(alphanumeric);
const digit = alphabet(digits);

/** Makes a shape of a token's form. */
export function tokenShape(form: TokenForm): Shape {
  return {
    id: form.id,
    literals: form.prefixes,
    anyCase: false,
    look(text, at, after) {
      if (form.common === true && at > 0 && wordCharacter.has(text.charCodeAt(at - 1))) return nothing(after);
      const end = runEnd(text, after, form.alphabet);
      const length = end - after;
      const fits = length >= form.min && length <= (form.max ?? length);
      // A later prefix within this run has a shorter rest, so nothing is missed by looking on after the run.
      if (!fits || (form.common === true && !holdsDigit(text, after, end))) return nothing(end);
      return strike(at, end);
    },
  };
}

function holdsDigit(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if (digit.has(text.charCodeAt(index))) return true;
  return false;
}
