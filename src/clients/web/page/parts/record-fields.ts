/** Fields of a JSON object; empty where it is none. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as fields. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The body of a record as fields. */
export function bodyOf(json: string): Fields {
  try {
    return fieldsOf(JSON.parse(json));
  } catch {
    return {};
  }
}

/** A text, number or truth as text; empty for anything else. */
export function wordOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
