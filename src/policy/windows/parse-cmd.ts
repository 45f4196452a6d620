/** One command of a cmd line, still as it was written. */
export interface CmdSegment {
  readonly text: string;
  /** True where it reads what the one before it prints. */
  readonly piped: boolean;
}

/** A word after quotes and carets are taken away. */
export interface CmdWord {
  readonly text: string;
  readonly quoted: boolean;
}

/** A command's words, and whether a redirection stands among them. */
export interface CmdWords {
  readonly words: readonly CmdWord[];
  readonly redirected: boolean;
  /** The text from each word on, as it was written, for commands that run the rest of their line. */
  readonly from: readonly string[];
}

/** Marks a part that is only known when it runs. A private-use character, which no expected text holds. */
export const unknownPart = "\ue000";

/** Splits a line at `&`, `|` and line ends that are not quoted and not escaped with a caret. A caret before a line end joins the lines. */
export function splitCmd(source: string): readonly CmdSegment[] {
  const text = source.replace(/\^\r?\n/g, "");
  const segments: CmdSegment[] = [];
  let start = 0;
  let quoted = false;
  let piped = false;
  const close = (end: number, next: number, pipe: boolean): void => {
    segments.push({ text: text.slice(start, end), piped });
    start = next;
    piped = pipe;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') quoted = !quoted;
    else if (character === "^" && !quoted) at += 1;
    else if (character === "\n" || character === "\r") {
      quoted = false;
      close(at, at + 1, false);
    } else if (!quoted && (character === "&" || character === "|")) {
      // `2>&1` copies a descriptor.
      if (character === "&" && /[<>]$/.test(text.slice(start, at))) continue;
      const twice = text.charAt(at + 1) === character;
      close(at, at + (twice ? 2 : 1), character === "|" && !twice);
      if (twice) at += 1;
    }
  }
  close(text.length, text.length, false);
  return segments;
}

/** Tells the words of one command apart: blanks, commas, semicolons and `=` separate (cmd /?). */
export function cmdWords(text: string): CmdWords {
  const words: CmdWord[] = [];
  const from: string[] = [];
  let redirected = false;
  let at = 0;
  while (at < text.length) {
    const start = at;
    const character = text.charAt(at);
    if (/[\s,;=]/.test(character)) {
      at += 1;
      continue;
    }
    const redirect = /^\d?(>>?|<)(&\d)?/.exec(text.slice(at));
    if (redirect !== null) {
      redirected = true;
      at += redirect[0].length;
      // The target is not an operand.
      if (redirect[2] === undefined) at = readWord(text, skipBlanks(text, at)).end;
      continue;
    }
    const word = readWord(text, at);
    at = Math.max(word.end, start + 1);
    words.push({ text: word.text, quoted: word.quoted });
    from.push(text.slice(start));
  }
  return { words, redirected, from };
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (/[ \t]/.test(text.charAt(at))) at += 1;
  return at;
}

function readWord(
  text: string,
  from: number,
): { readonly text: string; readonly quoted: boolean; readonly end: number } {
  let found = "";
  let inside = false;
  let quoted = false;
  let at = from;
  for (; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') {
      // `rd"C:\"`: the name of a built-in command ends at a quote.
      if (!inside && /^(rd|rmdir|del|erase|cd|chdir)(\/[a-z])*$/i.test(found)) break;
      inside = !inside;
      quoted = true;
    } else if (!inside && character === "^") {
      at += 1;
      found += text.charAt(at);
    } else if (!inside && /[\s,;=<>]/.test(character)) break;
    else found += character;
  }
  return { text: found, quoted, end: at };
}
