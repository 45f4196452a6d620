import {
  blanks,
  doubleQuotes,
  emptyDraft,
  lineEnds,
  match,
  peek,
  put,
  singleQuotes,
  type Draft,
  type Reader,
} from "./powershell-reader.ts";
import { readDollar, readDouble, readEscape, readHereString, readSingle } from "./powershell-strings.ts";
import { isKeyword } from "./powershell-names.ts";
import type { MethodCall, PowerShellWord } from "./powershell-script.ts";

const bareWord = /^(?:[\w-]|`[^])+$/;

/** Reads one word. `assigned`: an assignment may follow it, so that it ends before `=`. */
export function readWord(reader: Reader, assigned: boolean): PowerShellWord {
  const start = reader.at;
  const draft = emptyDraft();
  const head = peek(reader);
  const bare = !(singleQuotes + doubleQuotes).includes(head);
  const ends = !bare || head === "(" || /^@[({'"\u2018-\u201e]/.test(reader.text.slice(start, start + 2));
  while (reader.at < reader.text.length) {
    const next = peek(reader);
    if (blanks.includes(next) || lineEnds.includes(next) || ";|&)}".includes(next)) break;
    if (
      next === ">" ||
      (reader.eager && reader.at > start && /^(?:#|<#)/.test(reader.text.slice(reader.at, reader.at + 2)))
    )
      break;
    if (
      assigned &&
      reader.at > start &&
      "$[(".includes(head) &&
      /^(?:[-+*/%]|\?\?)?=(?!=)/.test(reader.text.slice(reader.at, reader.at + 4))
    )
      break;
    if (next === "{" && reader.at > start && reader.text.charAt(reader.at - 1) !== "@") break;
    // `iex("x")`: a bracket ends a bare word, but for the arguments of a method.
    if (
      next === "(" &&
      reader.at > start &&
      reader.at - start < 128 &&
      bareWord.test(reader.text.slice(start, reader.at)) &&
      !callBefore(reader.text, reader.at)
    )
      break;
    if (next === "," && reader.at > start) {
      reader.at += 1;
      skipInList(reader);
      draft.values.push([]);
    } else readPiece(reader, draft, start);
    if (head === "{") break;
    // A word that starts with a quoted text or a group ends behind it, but for a comma.
    if (ends && reader.at > start && peek(reader) !== ",") break;
    // `param(…)x`, `[CmdletBinding()]param`: what follows is the next word.
    if (draft.nested.length === 1 && endsHere(reader, start, draft)) break;
  }
  if (reader.at === start) reader.at += 1;
  return {
    text: reader.text.slice(start, reader.at),
    values: draft.values,
    bare,
    block: head === "{",
    nested: draft.nested,
    calls: draft.calls,
  };
}

/** True behind the bracket of a keyword, and behind an attribute. */
function endsHere(reader: Reader, start: number, draft: Draft): boolean {
  const source = reader.text.slice(start, reader.at);
  const [first] = draft.nested;
  if (first === undefined || first - start > 64) return false;
  if (source.startsWith("[")) return source.endsWith(")]");
  return source.endsWith(")") && isKeyword(reader.text.slice(start, first - 1).toLowerCase());
}

/** Behind a comma a list goes on, also on the next line. */
function skipInList(reader: Reader): void {
  while (peek(reader) !== "" && (blanks + lineEnds).includes(peek(reader))) reader.at += 1;
  match(reader, /`[ \t]*\r?\n\s*/y);
}

function readPiece(reader: Reader, draft: Draft, start: number): void {
  reader.spend(0.05);
  const next = peek(reader);
  const from = reader.at;
  if ((singleQuotes + doubleQuotes).includes(next)) {
    if (singleQuotes.includes(next)) readSingle(reader, draft);
    else readDouble(reader, draft);
    return from === start ? readMembers(reader, draft, from) : undefined;
  }
  const hereString = match(reader, /@(['"\u2018-\u201e])[ \t]*(?:\r?\n|\r)/y)?.[1];
  if (hereString !== undefined) return readHereString(reader, draft, doubleQuotes.includes(hereString));
  if (next === "`") return readEscape(reader, draft, false);
  if (next === "$") {
    readDollar(reader, draft);
    return readMembers(reader, draft, from);
  }
  if (next === "(" || next === "{") return readGroup(reader, draft, from);
  if (next === "@") {
    reader.at += 1;
    if (peek(reader) === "(" || peek(reader) === "{") return readGroup(reader, draft, from);
    const name = from === start ? match(reader, /[A-Za-z_]\w*/y)?.[0] : undefined;
    return put(draft, name === undefined ? { kind: "text", text: "@" } : { kind: "splat", name: name.toLowerCase() });
  }
  const plain = match(reader, /[\w.\\:]+/y)?.[0];
  if (plain === undefined) reader.at += 1;
  put(draft, { kind: "text", text: plain ?? next });
}

/** `( … )` and `{ … }`, with `@` before it where `from` says so, and the members behind it. */
function readGroup(reader: Reader, draft: Draft, from: number): void {
  const opener = peek(reader);
  const call = opener === "(" ? callBefore(reader.text, reader.at) : undefined;
  reader.at += 1;
  const inTable = opener === "{" && from < reader.at - 1;
  const start = reader.script(reader, opener === "(" ? ")" : "}", inTable);
  if (start === undefined) return put(draft, { kind: "unknown" });
  draft.nested.push(start);
  if (call !== undefined) draft.calls.push({ ...call, from: start });
  put(draft, { kind: "expression", from, to: reader.at });
  if (opener === "(" || from < start - 1) readMembers(reader, draft, from);
}

/** `.Name`, `::Name`, `[0]` and `(…)` directly behind a value belong to it. All of it becomes one expression. */
function readMembers(reader: Reader, draft: Draft, from: number): void {
  let more = false;
  for (;;) {
    const at = reader.at;
    if (match(reader, /(?:\?\.|\.|::)(?:[A-Za-z_]\w*|\$\w+|'[^']*'|"[^"$`]*")/y) !== undefined) {
      more = true;
      if (peek(reader) !== "(") continue;
      const call = callBefore(reader.text, reader.at);
      reader.at += 1;
      const start = reader.script(reader, ")");
      if (start === undefined) return put(draft, { kind: "unknown" });
      draft.nested.push(start);
      if (call !== undefined) draft.calls.push({ ...call, from: start });
    } else if (peek(reader) === "[" && readIndex(reader, draft)) more = true;
    else {
      reader.at = at;
      break;
    }
  }
  if (!more) return;
  draft.values.at(-1)?.pop();
  put(draft, { kind: "expression", from, to: reader.at });
}

/** Brackets that are looked into in vain: each may read as far as the line goes. */
const mostOpen = 16;
/** Brackets within brackets, scripts among them. */
const maxIndexDepth = 100;
/** Work for a character that is read. */
const unitsOfReading = 0.25;

/** `[0]`, `["a"]`, `[(…)]` behind a value. False where the line ends before the bracket is closed: then it is none. */
function readIndex(reader: Reader, draft: Draft): boolean {
  const at = reader.at;
  if (reader.noIndex.has(at)) return false;
  if (reader.noIndex.size >= mostOpen || reader.depth >= maxIndexDepth) {
    reader.tooDeep = true;
    return false;
  }
  const inside = emptyDraft();
  reader.at += 1;
  reader.depth += 1;
  const closed = readInside(reader, inside);
  reader.depth -= 1;
  if (closed) {
    draft.nested.push(...inside.nested);
    draft.calls.push(...inside.calls);
    return true;
  }
  // What is read a second time costs a second time.
  reader.spend((reader.at - at) * unitsOfReading);
  reader.noIndex.add(at);
  reader.at = at;
  return false;
}

/** Up to the closing bracket; false where there is none in this line. */
function readInside(reader: Reader, inside: Draft): boolean {
  while (reader.at < reader.text.length && !lineEnds.includes(peek(reader))) {
    if (peek(reader) === "]") {
      reader.at += 1;
      return true;
    }
    const before = reader.at;
    readPiece(reader, inside, -1);
    if (reader.at === before) break;
  }
  return false;
}

/** The method that a bracket calls: what stands right before it. */
function callBefore(text: string, at: number): Omit<MethodCall, "from"> | undefined {
  const before = text.slice(Math.max(0, at - 200), at).replaceAll("`", "");
  const found = /(?:\[\s*([\w.]+)\s*\]\s*)?(\?\.|\.|::)\s*['"]?(\w+|\$\w+)['"]?$/.exec(before);
  if (found?.[3] === undefined) return undefined;
  return { type: (found[1] ?? "").toLowerCase(), isStatic: found[2] === "::", member: found[3].toLowerCase() };
}
