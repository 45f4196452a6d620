import type { CmdWord } from "./cmd-script.ts";

/** Where the reader is. Lines come one by one, because each is expanded with what those before it have set. */
export interface CmdReader {
  text: string;
  at: number;
  /** Open brackets around. */
  depth: number;
  /** True where a bracket or a keyword has no end. */
  broken: boolean;
  /** True where commands are nested so deep that brackets and keywords were passed over. */
  tooDeep: boolean;
  /** The next line, expanded; undefined at the end. */
  readonly more: () => string | undefined;
}

/** Starts reading a text of one line. */
export function cmdReader(text: string, more: CmdReader["more"] = () => undefined): CmdReader {
  return { text, at: 0, depth: 0, broken: false, tooDeep: false, more };
}

/** Skips blanks and the other characters that only separate words (cmd /?); inside brackets line ends, too. */
export function skipSeparators(reader: CmdReader, lines = false): void {
  for (;;) {
    const next = reader.text.charAt(reader.at);
    if (next !== "" && (/[ \t,;=\v\f\u00a0]/.test(next) || (lines && /[\r\n]/.test(next)))) reader.at += 1;
    else if (next === "" && lines && reader.depth > 0 && fetch(reader)) continue;
    else return;
  }
}

/** Puts the next line behind what is there. */
export function fetch(reader: CmdReader): boolean {
  const line = reader.more();
  if (line === undefined) return false;
  reader.text += `\n${line}`;
  return true;
}

/** True where a command ends here. */
export function atEnd(reader: CmdReader): boolean {
  const next = reader.text.charAt(reader.at);
  return next === "" || /[&|\r\n]/.test(next) || (next === ")" && reader.depth > 0);
}

const glues = /^(?:(?:rd|rmdir|del|erase|cd|chdir|md|mkdir|dir|type|copy|move)(?:\/[a-z])*|(?:\/[a-z])+)$/i;

/** A run of characters that mean nothing of their own. Read at once: texts inside texts are read many times. */
const plainRun = /[^\s"^&|),;=<>]+/y;
const quotedRun = /[^\r\n"]+/y;

/** A word up to a separator or the end of its command. */
export function readCmdWord(reader: CmdReader): CmdWord {
  let found = "";
  let inside = false;
  let quoted = false;
  for (; reader.at < reader.text.length; reader.at += 1) {
    const run = runAt(inside ? quotedRun : plainRun, reader);
    found += run;
    reader.at += run.length;
    const character = reader.text.charAt(reader.at);
    if (character === "" || /[\r\n]/.test(character)) break;
    if (character === '"') {
      // `rd"C:\"` and `/s"C:\"`: the names of built-in commands and their switches end at a quote.
      if (!inside && glues.test(found)) break;
      inside = !inside;
      quoted = true;
      if (!inside && reader.text.charAt(reader.at + 1) === "/") {
        reader.at += 1;
        break;
      }
    } else if (character === "^") {
      // A blank separates words even so: commands split their line again.
      if (/\s/.test(reader.text.charAt(reader.at + 1)) && found !== "") {
        reader.at += 1;
        break;
      }
      reader.at += 1;
      // An escaped quote quotes nothing here, but the command takes it away.
      if (reader.text.charAt(reader.at) !== '"') found += reader.text.charAt(reader.at);
    } else if (atEnd(reader) || /[ \t,;=<>\v\f\u00a0]/.test(character)) break;
    else found += character;
  }
  return { text: found, quoted };
}

function runAt(run: RegExp, reader: CmdReader): string {
  run.lastIndex = reader.at;
  return run.exec(reader.text)?.[0] ?? "";
}

/** The text as a program is given it: a caret outside of quotes only hides the character behind it. */
export function withoutCarets(text: string): string {
  if (!text.includes("^")) return text;
  return text.replace(/"[^"]*"?|\^(.?)/gs, (found, hidden: string | undefined) => hidden ?? found);
}
