/** Whether a character (one code point) belongs to a class. */
export type CharTest = (character: string) => boolean;

/** The named classes of POSIX (regex(7)), in ASCII. */
const named: Readonly<Record<string, CharTest>> = {
  alnum: (character) => /^[A-Za-z0-9]$/.test(character),
  alpha: (character) => /^[A-Za-z]$/.test(character),
  blank: (character) => character === " " || character === "\t",
  cntrl: (character) => character < " " || character === "\x7f",
  digit: (character) => /^[0-9]$/.test(character),
  graph: (character) => /^[!-~]$/.test(character),
  lower: (character) => /^[a-z]$/.test(character),
  print: (character) => /^[ -~]$/.test(character),
  punct: (character) => /^[!-/:-@[-`{-~]$/.test(character),
  space: (character) => /^[ \t-\r]$/.test(character),
  upper: (character) => /^[A-Z]$/.test(character),
  xdigit: (character) => /^[0-9A-Fa-f]$/.test(character),
};

/** A class and where it ends. */
export interface ParsedClass {
  readonly test: CharTest;
  /** Index behind its `]`. */
  readonly end: number;
}

/** Reads a class such as `[a-z]` or `[!abc]` whose `[` is at `start`. Undefined where it is not closed or a name in it is not known. */
export function parseCharClass(characters: readonly string[], start: number): ParsedClass | undefined {
  const tests: CharTest[] = [];
  const negated = characters[start + 1] === "!" || characters[start + 1] === "^";
  const first = start + (negated ? 2 : 1);
  let at = first;
  for (; characters[at] !== "]" || at === first;) {
    if (characters[at] === "[" && characters[at + 1] === ":") {
      const close = characters.indexOf("]", at);
      const test = named[characters.slice(at + 2, close - 1).join("")];
      if (close === -1 || characters[close - 1] !== ":" || test === undefined) return undefined;
      tests.push(test);
      at = close + 1;
      continue;
    }
    const low = literalAt(characters, at);
    if (low === undefined) return undefined;
    at = low.end;
    const high = characters[at] === "-" && characters[at + 1] !== "]" ? literalAt(characters, at + 1) : undefined;
    if (characters[at] === "-" && characters[at + 1] !== "]" && high === undefined) return undefined;
    tests.push(within(low.character, high?.character ?? low.character));
    at = high?.end ?? at;
  }
  return { test: (character) => tests.some((test) => test(character)) !== negated, end: at + 1 };
}

function literalAt(characters: readonly string[], at: number): { character: string; end: number } | undefined {
  const escaped = characters[at] === "\\";
  const character = characters[escaped ? at + 1 : at];
  return character === undefined ? undefined : { character, end: at + (escaped ? 2 : 1) };
}

function within(low: string, high: string): CharTest {
  const [least, most] = [pointOf(low), pointOf(high)];
  return (character) => pointOf(character) >= least && pointOf(character) <= most;
}

function pointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
