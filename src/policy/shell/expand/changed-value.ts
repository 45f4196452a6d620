import type { ParameterOperation } from "unbash";
import { exhausted } from "../../../model/exhausted.ts";
import type { Work } from "../../work.ts";
import type { Atom } from "./atom.ts";
import { matchedPrefixes, plainPattern, valuePattern, type ValuePattern } from "./value-pattern.ts";

/** Operations that cut or change a value. */
export type ChangeOperation = Extract<
  ParameterOperation,
  { type: "Remove" | "Replace" | "Slice" | "CaseModification" }
>;

/** The operands of an operation in their order. */
export type Operands = readonly (readonly Atom[])[];

/** More comparisons than this are not made for one value. */
const mostSteps = 65_536;

/** A known value after an operation (bash manual, "Shell Parameter Expansion"). Undefined: it cannot be told, or is not worth it. */
export function changedValue(
  operation: ChangeOperation,
  value: string,
  operands: Operands,
  work: Work,
): string | undefined {
  // Beyond ASCII it is up to the locale what counts as one character.
  // oxlint-disable-next-line no-control-regex -- anything outside ASCII counts.
  if (/[^\x00-\x7f]/.test(value)) return undefined;
  const [first = [], second = []] = operands;
  work.spend(1 + value.length / 100);
  switch (operation.type) {
    case "Remove": {
      const pattern = valuePattern(first);
      if (pattern === undefined || value.length * pattern.length > mostSteps) return undefined;
      work.spend((value.length * pattern.length) / 50);
      return removed(value, pattern, operation.operator);
    }
    case "Replace": {
      const pattern = valuePattern(first);
      const replacement = textOf(second);
      if (pattern === undefined || replacement === undefined) return undefined;
      return replaced(value, pattern, replacement, operation.operator);
    }
    case "Slice":
      return sliced(value, operation.offset.text, operation.length?.text);
    case "CaseModification":
      return operation.operand === undefined ? cased(value, operation.operator) : undefined;
    default:
      return exhausted(operation);
  }
}

/** Known text. An unquoted `&` stands for what was matched, and a tilde for a home. */
function textOf(atoms: readonly Atom[]): string | undefined {
  let text = "";
  for (const atom of atoms) {
    if (atom.kind !== "text" && atom.kind !== "value") return undefined;
    if ((atom.kind === "value" || !atom.quoted) && /[&~]/.test(atom.text)) return undefined;
    text += atom.text;
  }
  return text;
}

function removed(value: string, pattern: ValuePattern, operator: "#" | "##" | "%" | "%%"): string {
  const atEnd = operator.startsWith("%");
  const lengths = atEnd ? matchedPrefixes(reversed(value), pattern.toReversed()) : matchedPrefixes(value, pattern);
  const length = (operator.length === 1 ? lengths[0] : lengths.at(-1)) ?? 0;
  return atEnd ? value.slice(0, value.length - length) : value.slice(length);
}

function reversed(value: string): string {
  return value.split("").toReversed().join("");
}

/** Wildcards match as much as they can; they are followed at the ends only. */
function replaced(
  value: string,
  pattern: ValuePattern,
  replacement: string,
  operator: "/" | "//" | "/#" | "/%",
): string | undefined {
  const plain = plainPattern(pattern);
  if (plain === "") return operator === "/#" ? replacement + value : operator === "/%" ? value + replacement : value;
  if (plain === undefined) return undefined;
  switch (operator) {
    case "/":
      return value.replace(plain, () => replacement);
    case "//":
      return value.replaceAll(plain, () => replacement);
    case "/#":
      return value.startsWith(plain) ? replacement + value.slice(plain.length) : value;
    case "/%":
      return value.endsWith(plain) ? value.slice(0, -plain.length) + replacement : value;
    default:
      return exhausted(operator);
  }
}

const number = /^\s*-?\d{1,9}\s*$/;

/** Numbers only: anything else is arithmetic. */
function sliced(value: string, offset: string, length: string | undefined): string | undefined {
  if (!number.test(offset) || (length !== undefined && !number.test(length))) return undefined;
  const from = Number(offset);
  const start = from < 0 ? value.length + from : from;
  if (start < 0 || start > value.length) return "";
  if (length === undefined) return value.slice(start);
  const count = Number(length);
  const end = count < 0 ? value.length + count : start + count;
  return end < start ? undefined : value.slice(start, end);
}

function cased(value: string, operator: "^" | "^^" | "," | ",,"): string {
  const change = (text: string): string => (operator.startsWith("^") ? text.toUpperCase() : text.toLowerCase());
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
}
