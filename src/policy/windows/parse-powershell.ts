import {
  blanks,
  doubleQuotes,
  lineEnds,
  match,
  peek,
  put,
  singleQuotes,
  skipBlanks,
  type Draft,
  type Reader,
} from "./powershell-reader.ts";
import { readDollar, readDouble, readEscape, readHereString, readSingle } from "./powershell-strings.ts";
import type {
  PowerShellCommand,
  PowerShellPart,
  PowerShellPipeline,
  PowerShellScript,
  PowerShellWord,
} from "./powershell-script.ts";

/** Nested brackets beyond this are not read. */
const maxDepth = 100;

/**
 * Tells commands and words of PowerShell text apart (about_Parsing, about_Quoting_Rules, about_Operators). It is no full grammar: keywords are
 * words, expressions are words with nested scripts. That is enough to look for forbidden commands and to see that a text is plain.
 * @throws RangeError where brackets are nested too deep.
 */
export function parsePowerShell(text: string): PowerShellScript {
  const reader: Reader = { text, at: 0, depth: 0, broken: false, script: (closer) => readScript(reader, closer) };
  const pipelines: PowerShellPipeline[] = [];
  while (reader.at < text.length) {
    pipelines.push(...readScript(reader, "").pipelines);
    // A closing bracket without an opening one.
    if (reader.at < text.length) {
      reader.broken = true;
      reader.at += 1;
    }
  }
  return { pipelines, broken: reader.broken };
}

function readScript(reader: Reader, closer: string): PowerShellScript {
  reader.depth += 1;
  if (reader.depth > maxDepth) throw new RangeError("brackets are nested too deep");
  const pipelines: PowerShellPipeline[] = [];
  while (reader.at < reader.text.length) {
    skipBlanks(reader, true);
    const next = peek(reader);
    if (next === "" || next === ")" || next === "}") break;
    if (next === ";" || (next === "&" && reader.text.startsWith("&&", reader.at)) || next === "|") {
      reader.at += 1;
      if (next === "&") reader.at += 1;
      continue;
    }
    pipelines.push(readPipeline(reader));
  }
  reader.depth -= 1;
  if (closer !== "") {
    if (peek(reader) === closer) reader.at += 1;
    else reader.broken = true;
  }
  return { pipelines, broken: reader.broken };
}

function readPipeline(reader: Reader): PowerShellPipeline {
  const commands: PowerShellCommand[] = [];
  for (;;) {
    commands.push(readCommand(reader));
    const twice = reader.text.startsWith("||", reader.at) || reader.text.startsWith("&&", reader.at);
    const next = peek(reader);
    if (twice) {
      reader.at += 2;
      return { commands, background: false };
    }
    if (next === "&") {
      reader.at += 1;
      return { commands, background: true };
    }
    if (next !== "|") return { commands, background: false };
    reader.at += 1;
    skipBlanks(reader, true);
  }
}

const assignment = /(?:\[[\w.,]+(?:\[[,]*\])?\]\s*)*\$(\{[^}]*\}|[\w:?]+)[ \t]*(?:[-+*/%]|\?\?)?=(?!=)[ \t]*/y;
const redirect = /(?:\d|\*)?>>?(?:&\d)?|</y;

function readCommand(reader: Reader): PowerShellCommand {
  skipBlanks(reader, false);
  const assigns = match(reader, assignment)?.[1]?.replace(/[{}]/g, "").toLowerCase();
  skipBlanks(reader, false);
  const operator = /^&(?!&)|^\.(?=[\s'"({$\u2018-\u201e])/.exec(reader.text.slice(reader.at, reader.at + 2))?.[0] ?? "";
  reader.at += operator.length;
  const words: PowerShellWord[] = [];
  let redirected = false;
  for (;;) {
    skipBlanks(reader, false);
    const next = peek(reader);
    if (next === "" || ";|&)}".includes(next) || lineEnds.includes(next)) break;
    if (reader.text.startsWith("--%", reader.at)) {
      words.push(restOfLine(reader));
      continue;
    }
    if (match(reader, redirect) !== undefined) {
      redirected = true;
      continue;
    }
    words.push(readWord(reader));
  }
  return { words, operator: operator === "&" || operator === "." ? operator : "", assigns, redirected };
}

/** Behind `--%` words go to a program as they stand. */
function restOfLine(reader: Reader): PowerShellWord {
  const text = match(reader, /[^\r\n|]*/y)?.[0] ?? "";
  return { text, values: [[{ kind: "unknown" }]], bare: true, block: false, nested: [] };
}

function readWord(reader: Reader): PowerShellWord {
  const start = reader.at;
  const draft: Draft = { values: [[]], nested: [] };
  const first = peek(reader);
  const bare = !(singleQuotes + doubleQuotes).includes(first);
  while (reader.at < reader.text.length) {
    const next = peek(reader);
    if (blanks.includes(next) || lineEnds.includes(next) || ";|&)}".includes(next)) break;
    if (next === "{" && reader.at > start && !reader.text.slice(start, reader.at).endsWith("@")) break;
    if (next === "," && reader.at > start) {
      reader.at += 1;
      skipBlanks(reader, true);
      draft.values.push([]);
    } else readPiece(reader, draft);
    if (first === "{") break;
  }
  if (reader.at === start) reader.at += 1;
  return {
    text: reader.text.slice(start, reader.at),
    values: draft.values,
    bare,
    block: first === "{",
    nested: draft.nested,
  };
}

function readPiece(reader: Reader, draft: Draft): void {
  const next = peek(reader);
  if (singleQuotes.includes(next)) return readSingle(reader, draft);
  if (doubleQuotes.includes(next)) return readDouble(reader, draft);
  const hereString = match(reader, /@(['"\u2018-\u201e])[ \t]*\r?\n/y)?.[1];
  if (hereString !== undefined) return readHereString(reader, draft, doubleQuotes.includes(hereString));
  if (next === "`") return readEscape(reader, draft, false);
  if (next === "$") return readDollar(reader, draft);
  if (next === "(" || next === "{") return readGroup(reader, draft);
  if (next === "@") {
    reader.at += 1;
    if (peek(reader) === "(" || peek(reader) === "{") return readGroup(reader, draft);
    match(reader, /\w*/y);
    return put(draft, { kind: "unknown" });
  }
  reader.at += 1;
  put(draft, { kind: "text", text: next });
}

/** `( … )` and `{ … }`. A group that only joins quoted texts with `+` is that text. */
function readGroup(reader: Reader, draft: Draft): void {
  const opener = peek(reader);
  const start = reader.at + 1;
  reader.at = start;
  draft.nested.push(readScript(reader, opener === "(" ? ")" : "}"));
  put(draft, opener === "(" ? folded(reader.text.slice(start, reader.at - 1)) : { kind: "unknown" });
}

function folded(source: string): PowerShellPart {
  const piece = /\s*(?:'((?:[^']|'')*)'|"([^"$`]*)")\s*(\+|$)/y;
  let text = "";
  let at = 0;
  for (;;) {
    piece.lastIndex = at;
    const found = piece.exec(source);
    if (found === null) return { kind: "unknown" };
    text += found[1]?.replaceAll("''", "'") ?? found[2] ?? "";
    at = piece.lastIndex;
    if (found[3] === "") return { kind: "text", text };
  }
}
