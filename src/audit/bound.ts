import type { JsonValue } from "../secrets/json-value.ts";

/** How much of a value is kept. */
export interface Bounds {
  /** Characters of one string. */
  readonly text: number;
  /** Items of one list, fields of one object. */
  readonly items: number;
}

/** Bounds of one record, tried in this order until the whole fits. */
const recordBounds: readonly Bounds[] = [
  { text: 8192, items: 256 },
  { text: 1024, items: 64 },
  { text: 128, items: 16 },
];

/** Characters of one record's JSON at most. */
const longestBody = 65_536;

/** The value as JSON text of at most `longestBody` characters. What was left out is said in its place. */
export function boundedJson(value: JsonValue): string {
  let json = "";
  for (const bounds of recordBounds) {
    // Nearly every record fits as it is, and need not be copied.
    json = JSON.stringify(fits(value, bounds) ? value : bound(value, bounds));
    if (json.length <= longestBody) return json;
  }
  return JSON.stringify({ cut: `[${json.length} characters]`, beginning: json.slice(0, longestBody / 4) });
}

/** Whether {@link bound} would leave it as it is. */
function fits(value: JsonValue, bounds: Bounds): boolean {
  if (typeof value === "string") return value.length <= bounds.text;
  if (value === null || typeof value !== "object") return true;
  if (isList(value)) return value.length <= bounds.items && value.every((item) => fits(item, bounds));
  const names = Object.keys(value);
  if (names.length > bounds.items) return false;
  return names.every((name) => name.length <= bounds.text && fits(value[name] ?? null, bounds));
}

function bound(value: JsonValue, bounds: Bounds): JsonValue {
  if (typeof value === "string") return boundText(value, bounds.text);
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) {
    const kept: JsonValue[] = value.slice(0, bounds.items).map((item) => bound(item, bounds));
    if (value.length > kept.length) kept.push(`[${value.length - kept.length} more]`);
    return kept;
  }
  const fields = Object.entries(value);
  const kept = fields
    .slice(0, bounds.items)
    .map(([name, item]): [string, JsonValue] => [boundText(name, bounds.text), bound(item, bounds)]);
  if (fields.length > kept.length) kept.push(["…", `[${fields.length - kept.length} more]`]);
  return Object.fromEntries(kept);
}

function boundText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…[${text.length - most} characters more]`;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
