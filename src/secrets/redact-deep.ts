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
  const copied: Record<string, JsonValue> = {};
  for (const name of Object.keys(value)) {
    const item: unknown = Reflect.get(value, name);
    const json = isText(item) && isSecretName(name) ? mark("named") : copy(item, redact, levels - 1);
    if (json !== undefined) put(copied, redact(name), json);
  }
  return copied;
}

/** Sets an own property, also one named `__proto__`. */
function put(copied: Record<string, JsonValue>, name: string, json: JsonValue): void {
  if (name === "__proto__")
    Object.defineProperty(copied, name, { value: json, enumerable: true, configurable: true, writable: true });
  else copied[name] = json;
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
