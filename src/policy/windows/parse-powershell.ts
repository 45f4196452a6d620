import type {
  PowerShellCommand,
  PowerShellPart,
  PowerShellPipeline,
  PowerShellScript,
  PowerShellWord,
} from "./powershell-script.ts";

/** Nested brackets beyond this are not read. */
const maxDepth = 100;

const singleQuotes = "'\u2018\u2019\u201a\u201b";
const doubleQuotes = '"\u201c\u201d\u201e';
const blanks = " \t\f\v\u00a0\u0085";
const lineEnds = "\r\n";

/** Where the reader is in the text. One for a whole text: nested scripts share it. */
interface Reader {
  readonly text: string;
  at: number;
  depth: number;
  broken: boolean;
}

/**
 * Tells commands and words of PowerShell text apart (about_Parsing, about_Quoting_Rules, about_Operators). It is no full grammar: keywords are
 * words, expressions are words with nested scripts. That is enough to look for forbidden commands and to see that a text is plain.
 * @throws RangeError where brackets are nested too deep.
 */
export function parsePowerShell(text: string): PowerShellScript {
  const reader: Reader = { text, at: 0, depth: 0, broken: false };
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

/** A word while it is read. */
interface Draft {
  readonly values: PowerShellPart[][];
  readonly nested: PowerShellScript[];
}

function put(draft: Draft, part: PowerShellPart): void {
  const value = draft.values.at(-1);
  const last = value?.at(-1);
  if (part.kind === "text" && last?.kind === "text")
    value?.splice(-1, 1, { kind: "text", text: last.text + part.text });
  else value?.push(part);
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

function readSingle(reader: Reader, draft: Draft): void {
  reader.at += 1;
  let text = "";
  while (reader.at < reader.text.length) {
    const next = peek(reader);
    reader.at += 1;
    if (singleQuotes.includes(next)) {
      if (peek(reader) === "" || !singleQuotes.includes(peek(reader))) return put(draft, { kind: "text", text });
      reader.at += 1;
    }
    text += next;
  }
  reader.broken = true;
  put(draft, { kind: "text", text });
}

function readDouble(reader: Reader, draft: Draft): void {
  reader.at += 1;
  put(draft, { kind: "text", text: "" });
  while (reader.at < reader.text.length) {
    const next = peek(reader);
    if (doubleQuotes.includes(next)) {
      reader.at += 1;
      if (peek(reader) === "" || !doubleQuotes.includes(peek(reader))) return;
      reader.at += 1;
      put(draft, { kind: "text", text: next });
    } else if (next === "`") readEscape(reader, draft, true);
    else if (next === "$") readDollar(reader, draft);
    else {
      reader.at += 1;
      put(draft, { kind: "text", text: next });
    }
  }
  reader.broken = true;
}

function readHereString(reader: Reader, draft: Draft, expands: boolean): void {
  const end = expands ? /\n[ \t]*["\u201c-\u201e]@/g : /\n[ \t]*['\u2018-\u201b]@/g;
  end.lastIndex = Math.max(reader.at - 1, 0);
  const found = end.exec(reader.text);
  if (found === null) reader.broken = true;
  const stop = found?.index ?? reader.text.length;
  if (!expands) put(draft, { kind: "text", text: reader.text.slice(reader.at, stop) });
  while (expands && reader.at < stop) {
    const next = peek(reader);
    if (next === "`") readEscape(reader, draft, true);
    else if (next === "$") readDollar(reader, draft);
    else {
      reader.at += 1;
      put(draft, { kind: "text", text: next });
    }
  }
  reader.at = Math.max(reader.at, stop + (found?.[0].length ?? 0));
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "0": "\0",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\u001b",
};

function readEscape(reader: Reader, draft: Draft, quoted: boolean): void {
  const unicode = match(reader, /`u\{([0-9a-fA-F]{1,6})\}/y)?.[1];
  if (unicode !== undefined) {
    const point = Number.parseInt(unicode, 16);
    return put(draft, point <= 0x10ffff ? { kind: "text", text: String.fromCodePoint(point) } : { kind: "unknown" });
  }
  const next = reader.text.charAt(reader.at + 1);
  reader.at += 2;
  // Which letters mean a control character depends on the version; in a bare word the letter is what someone hides.
  put(draft, { kind: "text", text: quoted ? (escapes[next] ?? next) : next });
}

function readDollar(reader: Reader, draft: Draft): void {
  if (reader.text.startsWith("$(", reader.at)) {
    reader.at += 1;
    reader.at += 1;
    draft.nested.push(readScript(reader, ")"));
    return put(draft, { kind: "unknown" });
  }
  const braced = match(reader, /\$\{([^}]*)\}/y)?.[1];
  const name = braced ?? match(reader, /\$((?:[A-Za-z_]\w*:(?!:))?[A-Za-z_]\w*|[$?^])/y)?.[1];
  if (name !== undefined) return put(draft, { kind: "variable", name: name.toLowerCase() });
  reader.at += 1;
  put(draft, { kind: "text", text: "$" });
}

function skipBlanks(reader: Reader, withLines: boolean): void {
  for (;;) {
    const next = peek(reader);
    if (next !== "" && (blanks.includes(next) || (withLines && lineEnds.includes(next)))) reader.at += 1;
    else if (match(reader, /`[ \t]*\r?\n/y) !== undefined) continue;
    else if (reader.text.startsWith("<#", reader.at)) {
      const end = reader.text.indexOf("#>", reader.at);
      if (end === -1) reader.broken = true;
      reader.at = end === -1 ? reader.text.length : end + 2;
    } else if (next === "#") match(reader, /[^\r\n]*/y);
    else return;
  }
}

function peek(reader: Reader): string {
  return reader.text.charAt(reader.at);
}

function match(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found === null) return undefined;
  reader.at += found[0].length;
  return found;
}
