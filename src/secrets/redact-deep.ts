import type { JsonValue } from "./json-value.ts";
import { mark } from "./mark.ts";
import { isSecretName } from "./secret-name.ts";

/** Levels of nesting that are kept; what lies deeper, or round in a circle, becomes a mark. */
const deepest = 32;

/** Option words such as `--password`, whose secret is the next word. */
const option = /^--?[A-Za-z0-9_-]+$/;

/**
 * Copies a value as JSON and redacts every string in it. Beside the shapes it knows names: the string under `DB_PASSWORD`, the
 * second of a pair such as `["authorization", "…"]` and the word after `--token` are struck whole. Dates become ISO 8601, bytes
 * their count, what is undefined is left out.
 */
export function redactDeep(value: unknown, redact: (text: string) => string): JsonValue {
  return copy(value, redact, deepest) ?? null;
}

function copy(value: unknown, redact: (text: string) => string, levels: number): JsonValue | undefined {
  switch (typeof value) {
    case "string":
      return redact(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? null : copyObject(value, redact, levels);
    default:
      return undefined;
  }
}

function copyObject(value: object, redact: (text: string) => string, levels: number): JsonValue {
  if (levels === 0) return "[too deep]";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[no date]" : value.toISOString();
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return copyList(value, redact, levels);
  const copied: [string, JsonValue][] = [];
  for (const [name, item] of Object.entries(value)) {
    const json = isText(item) && isSecretName(name) ? mark("named") : copy(item, redact, levels - 1);
    if (json !== undefined) copied.push([redact(name), json]);
  }
  // Defines own properties, also one named `__proto__`.
  return Object.fromEntries(copied);
}

function copyList(list: readonly unknown[], redact: (text: string) => string, levels: number): readonly JsonValue[] {
  return list.map((item, index) => {
    const before: unknown = index > 0 ? list[index - 1] : undefined;
    const named = isText(item) && isText(before) && isSecretName(before) && (list.length === 2 || option.test(before));
    return named ? mark("named") : (copy(item, redact, levels - 1) ?? null);
  });
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
