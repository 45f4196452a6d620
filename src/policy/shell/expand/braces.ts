import { limits } from "../limits.ts";
import type { Atom } from "./atom.ts";
import { type Item, itemsOf, joinItems } from "./brace-items.ts";

/** The words that the braces of one word give, in order (bash manual, "Brace Expansion"). Undefined: more than the limit. */
export function expandBraces(atoms: readonly Atom[]): readonly (readonly Atom[])[] | undefined {
  if (!holds(atoms, "{") || !holds(atoms, "}")) return [atoms];
  // Every opening brace looks for its end, so their number bounds the cost.
  let opened = 0;
  for (const atom of atoms) if (atom.kind === "text" && !atom.quoted) opened += atom.text.split("{").length - 1;
  if (opened > limits.braces) return undefined;
  return expandItems(itemsOf(atoms))?.map(joinItems);
}

function holds(atoms: readonly Atom[], brace: string): boolean {
  return atoms.some((atom) => atom.kind === "text" && !atom.quoted && atom.text.includes(brace));
}

function expandItems(items: readonly Item[]): Item[][] | undefined {
  let results: Item[][] = [[]];
  let at = 0;
  while (at < items.length) {
    const item = items[at];
    const group = item === "{" ? readGroup(items, at) : undefined;
    const choices = group === undefined ? [[item ?? ""]] : group.choices;
    if (choices === undefined || results.length * choices.length > limits.braceResults) return undefined;
    const single = choices.length === 1 ? choices[0] : undefined;
    if (single !== undefined) for (const result of results) result.push(...single);
    else results = results.flatMap((result) => choices.map((choice) => [...result, ...choice]));
    at = group?.end ?? at + 1;
  }
  return results;
}

interface Group {
  /** What the braces stand for; undefined: more than the limit. */
  readonly choices: Item[][] | undefined;
  readonly end: number;
}

/** Reads the group that opens at `open`; undefined where the brace is plain text. */
function readGroup(items: readonly Item[], open: number): Group | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (let at = open; at < items.length; at += 1) {
    if (items[at] === "{") depth += 1;
    else if (items[at] === "," && depth === 1) commas.push(at);
    else if (items[at] === "}") {
      depth -= 1;
      if (depth === 0) return closeGroup(items, open, commas, at);
    }
  }
  return undefined;
}

function closeGroup(items: readonly Item[], open: number, commas: readonly number[], close: number): Group | undefined {
  if (commas.length === 0) {
    const choices = expandSequence(items.slice(open + 1, close));
    return choices === "none" ? undefined : { choices, end: close + 1 };
  }
  const edges = [open, ...commas, close];
  const choices: Item[][] = [];
  for (let index = 0; index + 1 < edges.length; index += 1) {
    const expanded = expandItems(items.slice((edges[index] ?? 0) + 1, edges[index + 1]));
    if (expanded === undefined || choices.length + expanded.length > limits.braceResults)
      return { choices: undefined, end: close + 1 };
    choices.push(...expanded);
  }
  return { choices, end: close + 1 };
}

const numbers = /^(-?\d{1,15})\.\.(-?\d{1,15})(?:\.\.(-?\d{1,15}))?$/;
const letters = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,15}))?$/;

function expandSequence(inside: readonly Item[]): Item[][] | undefined | "none" {
  if (!inside.every((item) => typeof item === "string")) return "none";
  const text = inside.join("");
  const number = numbers.exec(text);
  if (number !== null) {
    const [, from = "", to = "", step = "1"] = number;
    const width = /^-?0\d/.test(from) || /^-?0\d/.test(to) ? Math.max(from.length, to.length) : 0;
    return series(Number(from), Number(to), Number(step))?.map((value) => padded(value, width).split(""));
  }
  const letter = letters.exec(text);
  if (letter === null) return "none";
  const [, from = "", to = "", step = "1"] = letter;
  return series(from.charCodeAt(0), to.charCodeAt(0), Number(step))?.map((code) => [String.fromCharCode(code)]);
}

function series(from: number, to: number, step: number): number[] | undefined {
  const size = Math.abs(step) || 1;
  const count = Math.floor(Math.abs(to - from) / size) + 1;
  if (count > limits.braceResults) return undefined;
  return Array.from({ length: count }, (_, index) => from + (to < from ? -1 : 1) * size * index);
}

function padded(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
}
