import { atEnd, fetch, readCmdWord, skipSeparators, type CmdReader } from "./cmd-reader.ts";
import type { CmdJoin, CmdList, CmdNode, CmdRedirect, CmdWord } from "./cmd-script.ts";

/** Brackets, conditions and loops inside each other beyond this are passed over: what is in them is read as if they were not there. */
const maxDepth = 100;

/** Reads the commands of one line, and of the lines behind it while a bracket is open (cmd /?, if /?, for /?). */
export function parseCmdLine(reader: CmdReader): CmdList {
  const list: { join: CmdJoin; node: CmdNode }[] = [];
  while (reader.at < reader.text.length) {
    list.push(...readList(reader, 0));
    // A closing bracket without an opening one: cmd reads on behind it.
    if (reader.at < reader.text.length) reader.at += 1;
  }
  return list;
}

function readList(reader: CmdReader, nesting: number): CmdList {
  const list: { join: CmdJoin; node: CmdNode }[] = [];
  let join: CmdJoin = "&";
  for (;;) {
    skipSeparators(reader, true);
    const next = reader.text.charAt(reader.at);
    if (next === "" || next === ")") return list;
    const mark = /(?:&&|\|\||&|\|)/y;
    mark.lastIndex = reader.at;
    const found = mark.exec(reader.text)?.[0];
    if (found !== undefined) {
      join = found === "&&" || found === "||" || found === "|" ? found : "&";
      reader.at += found.length;
      continue;
    }
    list.push({ join, node: readNode(reader, nesting + 1) });
    join = "&";
  }
}

function readNode(reader: CmdReader, nesting: number): CmdNode {
  for (;;) {
    skipSeparators(reader);
    while (reader.text.charAt(reader.at) === "@") {
      reader.at += 1;
      skipSeparators(reader);
    }
    const start = reader.at;
    const redirects = readRedirects(reader);
    const bracket = reader.text.charAt(reader.at) === "(";
    const name = bracket ? "" : peekName(reader);
    const deep = nesting > maxDepth && (bracket || name !== "");
    if (!deep && bracket) return readBlock(reader, nesting, redirects);
    if (bracket) reader.at += 1;
    else if (name === "if") {
      readCondition(reader);
      if (!deep) return readIf(reader, start, nesting);
    } else if (name === "for") {
      const head = readLoopHead(reader);
      if (head === undefined) return readCommand(reader, redirects);
      if (!deep) return readFor(reader, start, nesting, head);
    } else return readCommand(reader, redirects);
    reader.tooDeep = true;
  }
}

function peekName(reader: CmdReader): string {
  const at = reader.at;
  const { text, quoted } = readCmdWord(reader);
  reader.at = at;
  return quoted ? "" : (/^(if|for)(?=$|[/(])/i.exec(text)?.[0].toLowerCase() ?? "");
}

function readBlock(reader: CmdReader, nesting: number, before: readonly CmdRedirect[]): CmdNode {
  reader.at += 1;
  reader.depth += 1;
  const list = readList(reader, nesting);
  reader.depth -= 1;
  if (reader.text.charAt(reader.at) === ")") reader.at += 1;
  else reader.broken = true;
  return { kind: "block", list, redirects: [...before, ...readRedirects(reader)] };
}

/** `if /i not exist x`, up to the command. */
function readCondition(reader: CmdReader): void {
  reader.at += 2;
  const word = (): string => {
    skipSeparators(reader);
    return readCmdWord(reader).text;
  };
  let first = word();
  while (/^(\/i|not)$/i.test(first)) first = word();
  if (/^(exist|defined|errorlevel|cmdextversion)$/i.test(first)) word();
  else if (/^\s*==/.test(reader.text.slice(reader.at, reader.at + 64))) word();
  else {
    word();
    word();
  }
}

function readIf(reader: CmdReader, start: number, nesting: number): CmdNode {
  const chosen = readNode(reader, nesting + 1);
  const otherwise = chosen.kind === "block" ? readElse(reader, nesting) : undefined;
  return { kind: "if", text: reader.text.slice(start, reader.at), chosen, otherwise };
}

function readElse(reader: CmdReader, nesting: number): CmdNode | undefined {
  const at = reader.at;
  skipSeparators(reader, reader.depth > 0);
  const found = /else(?=[\s(]|$)/iy;
  found.lastIndex = reader.at;
  if (found.exec(reader.text) === null) {
    reader.at = at;
    return undefined;
  }
  reader.at += 4;
  return readNode(reader, nesting + 1);
}

/** What stands before the body of a loop. */
type LoopHead = Pick<CmdNode & { kind: "for" }, "switches" | "variable" | "set">;

/** `for /r C:\ %i in (SET) do`. Undefined: it is no loop. */
function readLoopHead(reader: CmdReader): LoopHead | undefined {
  const head = /for\s*((?:\/[dlrf]\s*(?:"[^"\n]*"\s*|[^%(/\s][^%(\n]*)?)*)%+([^\s%])\s+in\s*\(/iy;
  head.lastIndex = reader.at;
  const found = head.exec(reader.text);
  if (found === null) return undefined;
  reader.at += found[0].length;
  const from = reader.at;
  let quoted = false;
  for (; ; reader.at += 1) {
    const next = reader.text.charAt(reader.at);
    if (next === "" && !fetch(reader)) break;
    if (next === '"') quoted = !quoted;
    if (next === ")" && !quoted) break;
  }
  const set = reader.text.slice(from, reader.at);
  reader.at += 1;
  skipSeparators(reader, true);
  const body = /do(?=[\s(@,;=]|$)/iy;
  body.lastIndex = reader.at;
  if (body.exec(reader.text) === null) reader.broken = true;
  else reader.at = body.lastIndex;
  const switches = (found[1] ?? "").split(/(?=\/[dlrf])/i).map((part) => part.trim());
  return { switches, variable: found[2] ?? "", set };
}

function readFor(reader: CmdReader, start: number, nesting: number, head: LoopHead): CmdNode {
  const body = reader.at;
  readNode(reader, nesting + 1);
  return {
    kind: "for",
    ...head,
    text: reader.text.slice(start, reader.at),
    body: reader.text.slice(body, reader.at),
  };
}

const redirect = /\d?(?:>>?|<)(&\d?)?/y;

function readRedirects(reader: CmdReader): readonly CmdRedirect[] {
  const found: CmdRedirect[] = [];
  for (;;) {
    skipSeparators(reader);
    redirect.lastIndex = reader.at;
    const mark = redirect.exec(reader.text);
    if (mark === null) return found;
    reader.at += mark[0].length;
    if (mark[1] !== undefined) continue;
    skipSeparators(reader);
    found.push({ reads: mark[0].includes("<"), target: readCmdWord(reader).text });
  }
}

function readCommand(reader: CmdReader, before: readonly CmdRedirect[]): CmdNode {
  const words: CmdWord[] = [];
  const starts: number[] = [];
  const redirects = [...before];
  const start = reader.at;
  if (isComment(reader)) {
    reader.at = endOfLine(reader);
    return { kind: "command", words: [{ text: "rem", quoted: false }], from: () => "", redirects: [] };
  }
  for (;;) {
    redirects.push(...readRedirects(reader));
    if (atEnd(reader)) break;
    const at = reader.at;
    words.push(readCmdWord(reader));
    starts.push(at);
    // A stray bracket or the like belongs to no word.
    if (reader.at === at) reader.at += 1;
  }
  if (reader.at === start) reader.at += 1;
  const { text, at: end } = reader;
  return { kind: "command", words, from: (word) => text.slice(starts[word] ?? end, end), redirects };
}

/** `rem …`, `:label`, `:: …`: the rest of the line means nothing. Only `rem &` ends where a command ends. */
function isComment(reader: CmdReader): boolean {
  const rest = reader.text.slice(reader.at, reader.at + 64);
  return rest.startsWith(":") || /^rem(?=[\s,;=]|$)(?![ \t,;=]*[&|])/i.test(rest);
}

function endOfLine(reader: CmdReader): number {
  const end = reader.text.slice(reader.at).search(/[\r\n]/);
  return end < 0 ? reader.text.length : reader.at + end;
}
