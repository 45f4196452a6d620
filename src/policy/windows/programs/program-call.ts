import type { RunEffect } from "../../../model/effect.ts";

/** A program that one of Windows' shells starts. */
export interface ProgramCall {
  /** Its base name in lower case, without `.exe` and its like. */
  readonly name: string;
  /** Its arguments; undefined: not known before it runs. */
  readonly words: readonly (string | undefined)[];
  /** The same as one line, as the program itself would see it. */
  readonly line: string;
  readonly effect: RunEffect;
  /** What is piped in, where that is known. */
  readonly fed: readonly string[];
}

/** The arguments that are known. */
export function knownWords({ words }: ProgramCall): readonly string[] {
  return words.filter((word) => word !== undefined);
}

/** What stands between blanks, quotes and backslashes: most of a line. */
const plainRun = /[^\s"\\]+/y;
const quotedRun = /[^"\\]+/y;

/** Splits a command line as programs do (CommandLineToArgvW): blanks separate, double quotes keep together, `\"` is a quote. */
export function splitLine(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const run = quoted ? quotedRun : plainRun;
    run.lastIndex = at;
    const found = run.exec(line)?.[0];
    if (found !== undefined) {
      word = `${word ?? ""}${found}`;
      at += found.length - 1;
      continue;
    }
    const character = line.charAt(at);
    if (!quoted && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === '"') {
      quoted = !quoted;
      word ??= "";
    } else if (line.charAt(at + 1) === '"' && /[^:\\]/.test(line.charAt(at - 1))) {
      word = `${word ?? ""}"`;
      at += 1;
    } else word = `${word ?? ""}${character}`;
  }
  return word === undefined ? words : [...words, word];
}

/** The base name of a program as it was written, in lower case. */
export function programName(text: string): string {
  const bare = text.trim().toLowerCase();
  return bare
    .slice(Math.max(bare.lastIndexOf("\\"), bare.lastIndexOf("/")) + 1)
    .replace(/(?<![. ])[. ]+$/, "")
    .replace(/\.(exe|com|cmd|bat|ps1)$/, "");
}
