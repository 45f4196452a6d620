import { isLookalikeLetter, lookalikePunctuation } from "./lookalikes.ts";

/** A text that is safe to show on any surface. */
export interface Shown {
  readonly text: string;
  /** True where something other than line ends and tabs was made visible: look twice. */
  readonly suspicious: boolean;
}

/** How a text is shown. */
export interface ShowOptions {
  /** True keeps line feeds, for a surface that shows several lines. */
  readonly lines?: boolean;
}

/**
 * Never shown as they are: control and format characters (bidirectional overrides, zero-width), unassigned and private ones, lone surrogates, blanks other than the
 * ASCII one, characters that are drawn as nothing, enclosing and overlaying marks, and letters that run from right to left and take their surroundings along (UAX 9).
 */
const hidden =
  /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Me}\u{2800}]|[\u{334}-\u{338}]|[\u{590}-\u{8ff}\u{fb1d}-\u{fdff}\u{fe70}-\u{feff}]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Everything beyond printable ASCII. */
const special = /[^ -~]/gu;
const word = /[\p{L}\p{N}\p{M}_]+/gu;
const strayMarks = /(?<![\p{L}\p{N}\p{M}])\p{M}+|\p{M}{3,}/gu;

/**
 * Makes visible, as `\u{202e}`, every character of a hostile text that is invisible, moves others or can be taken for another. What is in the text literally as `\u{`
 * shows as `\u{5c}u{`, so that nothing can pretend to have been made visible. Whole words of another script stay readable, unless every letter of them looks like ASCII
 * or they mix with ASCII letters.
 */
export function show(text: string, options: ShowOptions = {}): Shown {
  let suspicious = false;
  const escape = (character: string): string => {
    suspicious ||= character !== "\n" && character !== "\t";
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  };
  const shown = text
    .replaceAll("\\u{", "\\u{5c}u{")
    .replace(word, (found) => showWord(found, escape))
    .replace(strayMarks, (marks) => Array.from(marks, escape).join(""))
    .replace(special, (character) => {
      if (character === "\n" && options.lines === true) return character;
      return isTreacherous(character) ? escape(character) : character;
    });
  return { text: shown, suspicious };
}

function showWord(text: string, escape: (character: string) => string): string {
  if (/^[\w]*$/.test(text)) return text;
  const beyondAscii = text.match(/[^\0-\x7f]/gu) ?? [];
  const mixed = /[A-Za-z]/.test(text);
  const inDisguise = beyondAscii.every((character) => isLookalikeLetter(character) || /\p{M}/u.test(character));
  if (!mixed && !inDisguise) return text;
  return text.replace(/[^\0-\x7f]/gu, (character) => (isLookalikeLetter(character) ? escape(character) : character));
}

function isTreacherous(character: string): boolean {
  if (hidden.test(character) || lookalikePunctuation.has(character)) return true;
  // Compatibility forms of ASCII: full width, mathematical, ligatures, superscripts (Unicode TR15).
  const plain = character.normalize("NFKC");
  return plain !== character && /[!-~]/.test(plain);
}
