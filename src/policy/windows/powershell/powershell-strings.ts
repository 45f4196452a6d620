import {
  doubleQuotes,
  match,
  peek,
  put,
  singleQuotes,
  spendOnBrace,
  type Draft,
  type Reader,
} from "./powershell-reader.ts";

/** `'…'`: only a doubled quote is special. */
export function readSingle(reader: Reader, draft: Draft): void {
  reader.at += 1;
  let text = "";
  while (reader.at < reader.text.length) {
    text += match(reader, /[^'\u2018-\u201b]*/y)?.[0] ?? "";
    const next = peek(reader);
    if (next === "") break;
    reader.at += 1;
    if (peek(reader) === "" || !singleQuotes.includes(peek(reader))) return put(draft, { kind: "text", text });
    reader.at += 1;
    text += next;
  }
  reader.broken = true;
  put(draft, { kind: "text", text });
}

/** `"…"`: variables, subexpressions and backticks are special. */
export function readDouble(reader: Reader, draft: Draft): void {
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
    else put(draft, { kind: "text", text: match(reader, /[^"\u201c-\u201e`$]+/y)?.[0] ?? "" });
  }
  reader.broken = true;
}

/** `@'…'@` and `@"…"@`; the reader stands behind the opening line. */
export function readHereString(reader: Reader, draft: Draft, expands: boolean): void {
  // The end stands at the very start of its line.
  const end = expands ? /[\r\n]["\u201c-\u201e]@/g : /[\r\n]['\u2018-\u201b]@/g;
  end.lastIndex = Math.max(reader.at - 1, 0);
  const found = end.exec(reader.text);
  if (found === null) reader.broken = true;
  const stop = found?.index ?? reader.text.length;
  if (expands) readExpanding(reader, draft, stop);
  else put(draft, { kind: "text", text: reader.text.slice(reader.at, stop) });
  reader.at = Math.max(reader.at, stop + (found?.[0].length ?? 0));
}

/** Not `` `e ``: before version 6 it is the letter, and that is what someone hides. */
const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "0": "\0",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
};

function readExpanding(reader: Reader, draft: Draft, stop: number): void {
  while (reader.at < stop) {
    const next = peek(reader);
    if (next === "`") readEscape(reader, draft, true);
    else if (next === "$") readDollar(reader, draft);
    else {
      const from = reader.at;
      while (reader.at < stop && !"`$".includes(peek(reader))) reader.at += 1;
      put(draft, { kind: "text", text: reader.text.slice(from, reader.at) });
    }
  }
}

/** A backtick and what it changes. */
export function readEscape(reader: Reader, draft: Draft, quoted: boolean): void {
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

/** `$name`, `${name}`, `$( … )`, or a plain dollar. */
export function readDollar(reader: Reader, draft: Draft): void {
  if (reader.text.startsWith("$(", reader.at)) {
    reader.at += 2;
    const from = reader.script(reader, ")");
    if (from === undefined) return put(draft, { kind: "unknown" });
    draft.nested.push(from);
    return put(draft, { kind: "expression", from: from - 2, to: reader.at });
  }
  reader.spend(0.2);
  if (reader.text.startsWith("${", reader.at)) spendOnBrace(reader);
  const braced = match(reader, /\$\{((?:`[^]|[^}`])*)\}/y)?.[1]?.replace(/`(.)/gs, "$1");
  const name = braced ?? match(reader, /\$((?:[A-Za-z_]\w*:(?!:))?[A-Za-z_]\w*|[$?^])/y)?.[1];
  if (name !== undefined) return put(draft, { kind: "variable", name: name.toLowerCase() });
  reader.at += 1;
  put(draft, { kind: "text", text: "$" });
}
