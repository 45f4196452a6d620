/** A set of characters, asked by UTF-16 code unit. */
export interface Alphabet {
  has(code: number): boolean;
}

/** `0` to `9`. */
export const digits = "0123456789";
/** `a` to `z`. */
export const lower = "abcdefghijklmnopqrstuvwxyz";
/** `A` to `Z`. */
export const upper = lower.toUpperCase();
/** Letters and digits of ASCII. */
export const alphanumeric = digits + lower + upper;

/** The set of these ASCII characters; `beyondAscii` adds every code unit from 0x80 on. */
export function alphabet(members: string, beyondAscii = false): Alphabet {
  const table = new Uint8Array(128);
  for (let at = 0; at < members.length; at += 1) table[members.charCodeAt(at)] = 1;
  return { has: (code) => (code < 128 ? table[code] === 1 : beyondAscii) };
}

/** Letters, digits, `_` and `-`: base64url, and what most vendors make their tokens of. */
export const base64url = alphabet(`${alphanumeric}_-`);
/** RFC 4648 section 4, with padding. */
export const base64 = alphabet(`${alphanumeric}+/=`);
/** The token68 of RFC 9110 section 11.2. */
export const token68 = alphabet(`${alphanumeric}-._~+/=`);
/** Letters, digits and `_`. */
export const wordLike = alphabet(`${alphanumeric}_`);
/**
 * What a struck value in running text may consist of: never a blank, a quote or a character that a shell acts upon, so that
 * striking cannot hide from a person where one command ends and the next begins.
 */
export const plainValue = alphabet(`${alphanumeric}!#%*+-./:=?@^_~`, true);

/** Index after the last character of the run that starts at `at`; `at` itself where there is none. */
export function runEnd(text: string, at: number, members: Alphabet, limit = text.length): number {
  let end = at;
  while (end < limit && members.has(text.charCodeAt(end))) end += 1;
  return end;
}

/** Index after the blanks (space and tab, eight at most) that start at `at`. */
export function skipBlanks(text: string, at: number): number {
  let end = at;
  while (end < at + 8 && (text[end] === " " || text[end] === "\t")) end += 1;
  return end;
}
