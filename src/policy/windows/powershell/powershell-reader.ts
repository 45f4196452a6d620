import type { MethodCall, PowerShellPart } from "./powershell-script.ts";

/** Quotes as PowerShell takes them, straight and curly. */
export const singleQuotes = "'\u2018\u2019\u201a\u201b";
/** The same for double quotes. */
export const doubleQuotes = '"\u201c\u201d\u201e';
/** Blanks that separate words. */
export const blanks =
  " \t\f\v\u00a0\u0085\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u2028\u2029\u205f\u3000";
/** Characters that end a line. */
export const lineEnds = "\r\n";

/** Where the reader is in the text. */
export interface Reader {
  readonly text: string;
  at: number;
  depth: number;
  broken: boolean;
  tooDeep: boolean;
  /** Where a `[` was looked at and is no index: looking again at every level around it would double the cost each time. */
  readonly noIndex: Set<number>;
  /** Counts what is read, and read again. @throws TooMuchWork where it is too much. */
  readonly spend: (units: number) => void;
  /** True where a comment may also start inside of a word, as it does in expressions. */
  readonly eager: boolean;
  /**
   * Reads a nested script up to its closing bracket, and gives where it started; undefined: brackets are nested too deep. `inTable`: its statements are the values
   * of `@{ … }`, behind their keys.
   */
  readonly script: (reader: Reader, closer: ")" | "}", inTable?: boolean) => number | undefined;
}

/** A word while it is read. */
export interface Draft {
  readonly values: PowerShellPart[][];
  readonly nested: number[];
  readonly calls: MethodCall[];
}

/** Starts a word. */
export function emptyDraft(): Draft {
  return { values: [[]], nested: [], calls: [] };
}

/** Adds a part to the value that is being read. */
export function put(draft: Draft, part: PowerShellPart): void {
  const value = draft.values.at(-1);
  const last = value?.at(-1);
  if (part.kind === "text" && last?.kind === "text")
    value?.splice(-1, 1, { kind: "text", text: last.text + part.text });
  else value?.push(part);
}

/** Skips blanks, comments and joined lines; line ends, too, where asked. */
export function skipBlanks(reader: Reader, withLines: boolean): void {
  for (;;) {
    const next = peek(reader);
    if (next !== "" && (blanks.includes(next) || (withLines && lineEnds.includes(next)))) reader.at += 1;
    else if (match(reader, /`(?:\r?\n|\r)/y) !== undefined) continue;
    else if (reader.text.startsWith("<#", reader.at)) {
      const end = reader.text.indexOf("#>", reader.at);
      if (end === -1) reader.broken = true;
      reader.at = end === -1 ? reader.text.length : end + 2;
    } else if (next === "#") match(reader, /[^\r\n]*/y);
    else return;
  }
}

/** What a look for the bracket that closes `${` costs: it may go to the end of the text. */
export function spendOnBrace(reader: Reader): void {
  const closer = reader.text.indexOf("}", reader.at);
  reader.spend(((closer === -1 ? reader.text.length : closer) - reader.at) / 200);
}

/** The next character; empty at the end. */
export function peek(reader: Reader): string {
  return reader.text.charAt(reader.at);
}

/** Takes what a sticky pattern matches here. */
export function match(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found === null) return undefined;
  reader.at += found[0].length;
  return found;
}
