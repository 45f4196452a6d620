import {
  doubleQuotes,
  emptyDraft,
  match,
  peek,
  singleQuotes,
  skipBlanks,
  type Draft,
  type Reader,
} from "./powershell-reader.ts";
import type { PowerShellPage, PowerShellPart } from "./powershell-script.ts";
import { readDollar, readDouble, readHereString, readSingle } from "./powershell-strings.ts";
import { applyBinary, binaryLevels, castTo, joinAll, splitAll } from "./operators.ts";
import { callMember, readProperty } from "./members.ts";
import { gathered, itemsOf, maxText, text, textOf, weightOf, type Known, type Value } from "./value.ts";

/** What an expression refers to. */
export interface Meaning {
  readonly page: PowerShellPage;
  readonly variable: (name: string) => Value;
  /** What the script that starts there gives. */
  readonly output: (from: number) => Value;
  /** Counts what is computed. @throws TooMuchWork */
  readonly spend: (units: number) => void;
}

/** Work for a character or an item that an operator or a method looks at. */
const unitsOfCharacter = 0.1;
/** Work for a number of a range. */
const unitsOfNumber = 0.05;

interface Cursor extends Reader {
  readonly meaning: Meaning;
  readonly to: number;
}

/** Thrown inside where an expression is not understood. */
class NotKnown extends Error {}

/**
 * The value of a constant expression between two offsets: texts, numbers, lists, tables, and the operators and methods that hide words in them
 * (about_Operators). Undefined where anything in it is not understood.
 */
export function evaluate(from: number, to: number, meaning: Meaning): Value {
  const cursor: Cursor = {
    text: meaning.page.text,
    at: from,
    to,
    depth: 0,
    broken: false,
    tooDeep: false,
    noIndex: new Set(),
    eager: false,
    // It was counted when the script was read.
    spend: () => {},
    meaning,
    script: (reader) => skipScript(reader, meaning),
  };
  try {
    const value = binary(cursor, 0);
    skipBlanks(cursor, true);
    return cursor.at >= to ? value : undefined;
  } catch (error) {
    if (error instanceof NotKnown) return undefined;
    throw error;
  }
}

/** Scripts inside were read before: the reader goes on behind them. */
function skipScript(reader: Reader, { page }: Meaning): number {
  const start = reader.at;
  const nested = page.nested.get(start);
  if (nested === undefined) throw new NotKnown();
  reader.at = nested.to + 1;
  return start;
}

function next(cursor: Cursor): string {
  skipBlanks(cursor, true);
  return cursor.at < cursor.to ? peek(cursor) : "";
}

function binary(cursor: Cursor, level: number): Value {
  const pattern = binaryLevels[level];
  if (pattern === undefined) return list(cursor);
  let left = binary(cursor, level + 1);
  for (;;) {
    if (next(cursor) === "") return left;
    const operator = match(cursor, pattern)?.[0].toLowerCase();
    if (operator === undefined) return left;
    const right = binary(cursor, level + 1);
    compute(cursor, left, right);
    left = applyBinary(operator, left, right);
    // The ends of a range do not tell how long it is.
    if (operator === "..") cursor.meaning.spend(itemsOf(left).length * unitsOfNumber);
  }
}

/** A short text may compute with long values, again and again. */
function compute({ meaning }: Cursor, ...values: readonly Value[]): void {
  meaning.spend(values.reduce((sum, value) => sum + weightOf(value), 0) * unitsOfCharacter);
}

function list(cursor: Cursor): Value {
  const items = [unary(cursor)];
  let many = false;
  while (next(cursor) === ",") {
    cursor.at += 1;
    many = true;
    items.push(unary(cursor));
  }
  return many ? { kind: "list", items } : items[0];
}

function unary(cursor: Cursor): Value {
  const first = next(cursor);
  // What stands behind the expression is none of it.
  if (first === "") throw new NotKnown();
  if (first === ",") {
    cursor.at += 1;
    return { kind: "list", items: [unary(cursor)] };
  }
  const operator = match(cursor, /[-\u2013-\u2015](?:join|[ic]?split|not|bnot)\b|!/iy)?.[0]
    .slice(1)
    .toLowerCase();
  if (operator !== undefined) {
    const value = unary(cursor);
    compute(cursor, value);
    if (operator === "join") return joinAll(value, "");
    return operator.endsWith("split") ? splitAll(value, /\s+/) : undefined;
  }
  const type = match(cursor, /\[\s*([\w.]+(?:\[\])?)\s*\](?!\s*::)/y)?.[1];
  if (type !== undefined) {
    if (next(cursor) === "" || /[),\]]/.test(next(cursor))) return { kind: "type", name: type.toLowerCase() };
    const value = unary(cursor);
    compute(cursor, value);
    return castTo(type.toLowerCase(), value);
  }
  return postfix(cursor, primary(cursor));
}

function postfix(cursor: Cursor, start: Value): Value {
  let value = start;
  for (;;) {
    if (cursor.at >= cursor.to) return value;
    const member = match(cursor, /(\?\.|\.|::)\s*(?:([A-Za-z_]\w*)|'([^']*)'|"([^"$`]*)"|\$(\w+))/y);
    if (member !== undefined) {
      const name =
        member[2] ?? member[3] ?? member[4] ?? textOf(cursor.meaning.variable((member[5] ?? "").toLowerCase()));
      const called = peek(cursor) === "(";
      const words = called ? argumentsOf(cursor) : [];
      compute(cursor, value, ...words);
      value =
        name === undefined
          ? undefined
          : called
            ? callMember(value, name.toLowerCase(), words, cursor.meaning.variable)
            : readProperty(value, name.toLowerCase());
    } else if (peek(cursor) === "[") value = indexed(cursor, value);
    else return value;
  }
}

function argumentsOf(cursor: Cursor): readonly Value[] {
  cursor.at += 1;
  const from = skipScript(cursor, cursor.meaning);
  const { script } = cursor.meaning.page.nested.get(from) ?? {};
  return script?.length === 0 ? [] : itemsOf(cursor.meaning.output(from));
}

function indexed(cursor: Cursor, value: Value): Value {
  cursor.at += 1;
  const index = binary(cursor, 0);
  if (next(cursor) !== "]") throw new NotKnown();
  cursor.at += 1;
  compute(cursor, value);
  if (value?.kind === "table") return value.entries.get((textOf(index) ?? "").toLowerCase());
  const items: readonly Value[] | undefined =
    value?.kind === "text" ? value.text.split("").map(text) : value?.kind === "list" ? value.items : undefined;
  if (items === undefined || index === undefined) return undefined;
  const places = itemsOf(index).map((each) => Number(textOf(each)));
  if (!places.every(Number.isInteger)) return undefined;
  return gathered(places.flatMap((place) => (place < -items.length || place >= items.length ? [] : [items.at(place)])));
}

function primary(cursor: Cursor): Value {
  const first = next(cursor);
  const draft = emptyDraft();
  if (singleQuotes.includes(first) && first !== "") readSingle(cursor, draft);
  else if (doubleQuotes.includes(first) && first !== "") readDouble(cursor, draft);
  else if (first === "$" && !cursor.text.startsWith("$(", cursor.at)) readDollar(cursor, draft);
  else if (first === "(" || cursor.text.startsWith("$(", cursor.at) || cursor.text.startsWith("@(", cursor.at)) {
    const asList = first === "@";
    cursor.at += first === "(" ? 1 : 2;
    const value = cursor.meaning.output(skipScript(cursor, cursor.meaning));
    return asList ? { kind: "list", items: itemsOf(value) } : value;
  } else if (first === "{") {
    cursor.at += 1;
    const { page } = cursor.meaning;
    const from = skipScript(cursor, cursor.meaning);
    const nested = page.nested.get(from);
    return nested === undefined ? undefined : { kind: "block", page, script: nested.script, from, to: nested.to };
  } else if (cursor.text.startsWith("@{", cursor.at)) return table(cursor);
  else return literal(cursor, draft);
  return draftValue(draft, cursor.meaning);
}

function literal(cursor: Cursor, draft: Draft): Value {
  const hereString = match(cursor, /@(['"\u2018-\u201e])[ \t]*(?:\r?\n|\r)/y)?.[1];
  if (hereString !== undefined) {
    readHereString(cursor, draft, doubleQuotes.includes(hereString));
    return draftValue(draft, cursor.meaning);
  }
  const number = match(cursor, /[-+]?(?:0x[0-9a-f]+|\d+(?:\.\d+)?)(?![\w])/iy)?.[0];
  if (number !== undefined) return text(`${Number(number)}`);
  const type = match(cursor, /\[\s*([\w.]+)\s*\]/y)?.[1];
  if (type !== undefined) return { kind: "type", name: type.toLowerCase() };
  throw new NotKnown();
}

/** `@{ a = 1; b = 2 }`. */
function table(cursor: Cursor): Known {
  cursor.at += 2;
  const start = cursor.at;
  const end = cursor.meaning.page.nested.get(start)?.to;
  if (end === undefined) throw new NotKnown();
  const entries = new Map<string, Value>();
  const inner: Cursor = { ...cursor, to: end };
  for (;;) {
    while (next(inner) === ";") inner.at += 1;
    const key = match(inner, /(?:([\w-]+)|'([^']*)'|"([^"$`]*)")\s*=\s*/y);
    if (key === undefined) break;
    const name = (key[1] ?? key[2] ?? key[3] ?? "").toLowerCase();
    const line = endOfEntry(inner.text, inner.at, end);
    entries.set(name, evaluate(inner.at, line, inner.meaning));
    inner.at = line;
  }
  cursor.at = end + 1;
  return { kind: "table", entries };
}

/** An entry ends with its line or at a semicolon that is not inside of something. */
function endOfEntry(source: string, from: number, to: number): number {
  let depth = 0;
  let quote = "";
  for (let at = from; at < to; at += 1) {
    const character = source.charAt(at);
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (/['"]/.test(character)) quote = character;
    else if (/[({[]/.test(character)) depth += 1;
    else if (/[)}\]]/.test(character)) depth -= 1;
    else if (depth === 0 && /[;\n]/.test(character)) return at;
  }
  return to;
}

function draftValue({ values }: Draft, meaning: Meaning): Value {
  return partsValue(values[0] ?? [], meaning);
}

/** The value of one word's parts: one part stands for itself, several are joined to a text. */
export function partsValue(parts: readonly PowerShellPart[], meaning: Meaning): Value {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return partValue(only, meaning);
  let joined = "";
  let deep = false;
  for (const part of parts) {
    const value = partValue(part, meaning);
    const known = textOf(value);
    if (known !== undefined && known.length > 64) meaning.spend(known.length / 100);
    if (known === undefined || joined.length + known.length > maxText) return undefined;
    joined += known;
    deep ||= value?.kind === "text" && value.deep === true;
  }
  return deep ? { kind: "text", text: joined, deep } : text(joined);
}

function partValue(part: PowerShellPart, meaning: Meaning): Value {
  switch (part.kind) {
    case "text":
      return text(part.text);
    case "variable":
      return meaning.variable(part.name);
    case "expression":
      return evaluate(part.from, part.to, meaning);
    default:
      return undefined;
  }
}
