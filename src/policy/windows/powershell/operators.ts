import { appended, gathered, itemsOf, maxText, replacedText, text, textOf, textsOf, type Value } from "./value.ts";

/** Binary operators, those that bind least first (about_Operator_Precedence). Comparisons are not computed. */
export const binaryLevels: readonly RegExp[] = [
  /[-\u2013-\u2015](?:join|[ic]?split|[ic]?replace|as)(?![\w-])/iy,
  /\+(?!\+)/y,
  /\*/y,
  /[-\u2013-\u2015]f(?![\w-])/iy,
  /\.\.(?!\.)/y,
];

/** Applies an operator; undefined where the result is not known. */
export function applyBinary(operator: string, left: Value, right: Value): Value {
  const name = operator.replace(/^[-\u2013-\u2015]/, "");
  switch (name) {
    case "+":
      return plus(left, right);
    case "*":
      return times(left, right);
    case "f":
      return format(left, right);
    case "..":
      return range(left, right);
    case "join":
      return joinAll(left, textOf(right));
    case "split":
    case "isplit":
    case "csplit":
      return splitAll(left, plainPattern(textOf(right), "i"));
    case "replace":
    case "ireplace":
      return replaced(left, right, "gi");
    case "creplace":
      return replaced(left, right, "g");
    case "as":
      return left;
    default:
      return undefined;
  }
}

function plus(left: Value, right: Value): Value {
  if (left?.kind === "list") return appended(left.items, itemsOf(right));
  const [a, b] = [textOf(left), textOf(right)];
  if (a === undefined || b === undefined || a.length + b.length > maxText) return undefined;
  return /^\d+$/.test(a) && /^\d+$/.test(b) ? text(`${Number(a) + Number(b)}`) : text(a + b);
}

function times(left: Value, right: Value): Value {
  const [a, count] = [textOf(left), Number(textOf(right))];
  if (a === undefined || !Number.isInteger(count) || count < 0 || a.length * count > maxText) return undefined;
  return /^\d+$/.test(a) ? text(`${Number(a) * count}`) : text(a.repeat(count));
}

/** `'{1}{0}' -f 'b','a'`. */
function format(left: Value, right: Value): Value {
  const pattern = textOf(left);
  const words = itemsOf(right).map(textOf);
  if (pattern === undefined || words.includes(undefined)) return undefined;
  return replacedText(pattern, /\{\{|\}\}|\{(\d+)(?:,-?\d+)?(?::[^}]*)?\}/g, (found = "", index) =>
    index === undefined ? found.charAt(0) : (words[Number(index)] ?? ""),
  );
}

function range(left: Value, right: Value): Value {
  const [from, to] = [Number(textOf(left) ?? "x"), Number(textOf(right) ?? "x")];
  if (!Number.isInteger(from) || !Number.isInteger(to) || Math.abs(to - from) > 4096) return undefined;
  const step = from <= to ? 1 : -1;
  return {
    kind: "list",
    items: Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => text(`${from + at * step}`)),
  };
}

/** `-join`. */
export function joinAll(value: Value, separator: string | undefined): Value {
  const parts = textsOf(value);
  if (separator === undefined || !parts.every((part) => part !== undefined)) return undefined;
  const length = parts.reduce((sum, part) => sum + part.length + separator.length, 0);
  return length > maxText ? undefined : text(parts.join(separator));
}

/** `-split`. */
export function splitAll(value: Value, pattern: RegExp | undefined): Value {
  const whole = textOf(value);
  if (whole === undefined || pattern === undefined) return undefined;
  return gathered(whole.split(pattern).map(text));
}

function replaced(left: Value, right: Value, flags: string): Value {
  const [from, to] = itemsOf(right).map(textOf);
  const pattern = plainPattern(from, flags);
  const whole = textOf(left);
  if (pattern === undefined || whole === undefined || (to ?? "").includes("$")) return undefined;
  return replacedText(whole, pattern, () => to ?? "");
}

/** Only patterns that mean themselves, an escaped character, or one class: others could cost too much. */
function plainPattern(pattern: string | undefined, flags: string): RegExp | undefined {
  if (pattern === undefined || !/^(?:[^\\.^$|?*+()[\]{}]|\\[^a-zA-Z0-9]|\[[^\\\]^]+\])*$/.test(pattern))
    return undefined;
  return pattern === "" ? undefined : new RegExp(pattern, flags);
}

/** `[char]67`, `[string]…`: other types leave a text as it prints. */
export function castTo(type: string, value: Value): Value {
  const name = type.replace(/^system\./, "");
  if (name === "char") return codes(value);
  if (name === "char[]") {
    const whole = textOf(value);
    return value?.kind === "list"
      ? codes(value)
      : whole === undefined
        ? undefined
        : { kind: "list", items: whole.split("").map(text) };
  }
  if (name === "int" || name === "byte" || name === "int32") {
    const whole = textOf(value);
    if (whole?.length === 1 && /\D/.test(whole)) return text(`${whole.codePointAt(0) ?? 0}`);
  }
  if (name === "void") return { kind: "list", items: [] };
  return value;
}

function codes(value: Value): Value {
  const characters = itemsOf(value).map((each) => {
    const whole = textOf(each) ?? "";
    const code = Number(whole);
    if (!/^\d+$/.test(whole)) return whole.length === 1 ? text(whole) : undefined;
    return code <= 0xffff ? text(String.fromCharCode(code)) : undefined;
  });
  return value?.kind === "list" ? { kind: "list", items: characters } : characters[0];
}
