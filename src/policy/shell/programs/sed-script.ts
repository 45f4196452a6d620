/** Files that a sed script names, and whether it starts programs or holds something that is not understood. */
export interface SedScript {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly runs: boolean;
  /** What it runs, as far as it is written in the script. */
  readonly scripts: readonly string[];
  readonly unclear: boolean;
}

/** Where in the script the reader is, and what it found. */
interface Reader {
  readonly text: string;
  /** True where a delimiter inside brackets does not end a pattern. */
  readonly brackets: boolean;
  at: number;
  readonly reads: string[];
  readonly writes: string[];
  readonly scripts: string[];
  runs: boolean;
  unclear: boolean;
}

/**
 * Finds the commands of a sed script that touch files or start programs: `r R w W e` and the flags `w` and `e` of `s` (GNU sed manual,
 * "Commands Requiring a newline" and "The s Command"). Versions differ in whether brackets protect a delimiter (`s/[/]/x/`): what either
 * reading finds counts.
 */
export function readSedScript(text: string): SedScript {
  const protecting = readAll(text, true);
  const plain = text.includes("[") ? readAll(text, false) : protecting;
  return {
    reads: [...new Set([...protecting.reads, ...plain.reads])],
    writes: [...new Set([...protecting.writes, ...plain.writes])],
    runs: protecting.runs || plain.runs,
    scripts: [...new Set([...protecting.scripts, ...plain.scripts])],
    unclear: protecting.unclear,
  };
}

/** Reading stops at the first thing that is not understood. */
function readAll(text: string, brackets: boolean): SedScript {
  const reader: Reader = { text, brackets, at: 0, reads: [], writes: [], scripts: [], runs: false, unclear: false };
  while (reader.at < text.length && !reader.unclear) {
    skip(reader, /[\s;{}]*/y);
    if (reader.at >= text.length) break;
    readAddresses(reader);
    readCommand(reader);
  }
  return reader;
}

function skip(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0] ?? "";
  reader.at += found.length;
  return found;
}

function readAddresses(reader: Reader): void {
  for (let count = 0; count < 2; count += 1) {
    if (!readAddress(reader)) break;
    skip(reader, /[ \t]*/y);
    if (skip(reader, /,[ \t]*/y) === "") break;
  }
  skip(reader, /[ \t!]*/y);
}

function readAddress(reader: Reader): boolean {
  if (skip(reader, /(\d+(~\d+)?|\$|[+~]\d+)/y) !== "") return true;
  const start = reader.text.charAt(reader.at);
  if (start !== "/" && start !== "\\") return false;
  const delimiter = start === "/" ? "/" : reader.text.charAt(reader.at + 1);
  reader.at += start === "/" ? 1 : 2;
  readDelimited(reader, delimiter, true);
  skip(reader, /[IM]*/y);
  return true;
}

/** Moves behind the next delimiter that has no backslash before it. */
function readDelimited(reader: Reader, delimiter: string, isPattern: boolean): void {
  while (reader.at < reader.text.length) {
    const character = reader.text.charAt(reader.at);
    if (
      isPattern &&
      reader.brackets &&
      character === "[" &&
      skip(reader, /\[\^?\]?(?:\[[:.=][^\]]*\]|[^\]])*\]/y) !== ""
    )
      continue;
    reader.at += character === "\\" ? 2 : 1;
    if (character === delimiter) return;
  }
  reader.unclear = true;
}

function restOfLine(reader: Reader): string {
  return skip(reader, /[^\n]*/y).trim();
}

function readCommand(reader: Reader): void {
  const command = reader.text.charAt(reader.at);
  reader.at += 1;
  switch (command) {
    case "":
    case "}":
    case "{":
    case ";":
      return;
    case "#":
      skip(reader, /[^\n]*/y);
      return;
    case "r":
    case "R":
      reader.reads.push(restOfLine(reader));
      return;
    case "w":
    case "W":
      reader.writes.push(restOfLine(reader));
      return;
    case "e":
      reader.runs = true;
      reader.scripts.push(restOfLine(reader));
      return;
    case "a":
    case "i":
    case "c":
      // Text goes on over lines that end in a backslash.
      skip(reader, /(?:[^\\\n]|\\[\s\S])*/y);
      return;
    case "s":
      return readSubstitute(reader);
    case "y": {
      const delimiter = reader.text.charAt(reader.at);
      reader.at += 1;
      readDelimited(reader, delimiter, false);
      readDelimited(reader, delimiter, false);
      return;
    }
    case ":":
    case "b":
    case "t":
    case "T":
    case "v":
      skip(reader, /[ \t]*[^\s;}]*/y);
      return;
    default:
      if (!/[=dDgGhHnNpPxzFlLqQ]/.test(command)) reader.unclear = true;
      skip(reader, /[ \t]*\d*/y);
  }
}

function readSubstitute(reader: Reader): void {
  const delimiter = reader.text.charAt(reader.at);
  reader.at += 1;
  if (delimiter === "" || delimiter === "\n" || delimiter === "\\") {
    reader.unclear = true;
    return;
  }
  readDelimited(reader, delimiter, true);
  const start = reader.at;
  readDelimited(reader, delimiter, false);
  const replacement = reader.text.slice(start, reader.at - 1);
  const flags = skip(reader, /[gpiImM\d]*(?:e[gpiImMe\d]*)?/y);
  if (flags.includes("e")) {
    reader.runs = true;
    reader.scripts.push(replacement);
  }
  if (reader.text.charAt(reader.at) !== "w") return;
  reader.at += 1;
  reader.writes.push(restOfLine(reader));
}
