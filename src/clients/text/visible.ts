// Everything that draws nothing, moves the cursor, turns the direction of writing, is drawn over its neighbour or looks like a blank without being one: control and
// format characters, surrogates, private use, unassigned, line and paragraph separators, default-ignorable code points, the braille blank, enclosing and overlaying
// marks, and every space but U+0020.
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Me}\u{2800}]|[\u{334}-\u{338}]|(?! )\p{Zs}/gu;
// More than two marks on one character can be drawn over the lines around it.
const stackedMarks = /(?<=\p{M}{2})\p{M}/gu;

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Text that is safe on a terminal, on one line: what would not be seen is written as `\n`, `\t` or `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(hidden, escapeOf).replace(stackedMarks, escapeOf);
}

/** The lines of a text, each safe on a terminal. Tabs become four blanks; a carriage return stays visible. */
export function visibleLines(text: string): string[] {
  return text.split("\n").map((line) => visible(line.replaceAll("\t", "    ")));
}

/** True where `visible` would change the text, line ends and tabs aside. */
export function hasHidden(text: string): boolean {
  return visibleLines(text).join("\n") !== text.replaceAll("\t", "    ");
}

function escapeOf(character: string): string {
  return short[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
