import { invalid } from "../model/problem.ts";
import type { Strike } from "./trigger-table.ts";

/** Shorter values would strike ordinary text. */
const shortestValue = 6;
/** Values at most; each costs one search through every text. */
const mostValues = 1000;

/** Finds exact secret values, also as they look in a URL, in JSON and in base64. */
export interface KnownValues {
  find(text: string): Strike[];
}

/** @throws Problem `invalid_argument` where a value is too short to be told from ordinary text, or there are too many. */
export function knownValues(values: readonly string[]): KnownValues {
  if (values.length > mostValues) throw invalid("values", `more than ${mostValues}`);
  const spellings = new Set<string>();
  for (const [index, value] of values.entries()) {
    if (value.length < shortestValue) throw invalid(`values[${index}]`, `shorter than ${shortestValue} characters`);
    for (const spelling of spell(value)) spellings.add(spelling);
  }
  return { find: (text) => find(text, [...spellings]) };
}

function spell(value: string): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  const encoded = bytes.toString("base64").replace(/=+$/, "");
  return [
    value,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
    encoded,
    bytes.toString("base64url"),
  ];
}

function find(text: string, spellings: readonly string[]): Strike[] {
  const strikes: Strike[] = [];
  for (const spelling of spellings) {
    for (let from = text.indexOf(spelling); from >= 0; from = text.indexOf(spelling, from)) {
      const to = from + spelling.length;
      strikes.push({ from, to, id: "known" });
      from = to;
    }
  }
  return strikes;
}
