import { z } from "zod";
import { type ConfigFault, ConfigProblem } from "./config-fault.ts";
import { nearestName } from "./nearest-name.ts";
import { type ConfigPath, type ConfigValue, pathText, shownKey } from "./config-value.ts";

/**
 * Checks a parsed file, or what `whole` calls it, against its schema.
 * @throws ConfigProblem with every fault, its place, and the name that was probably meant.
 */
export function checkSchema<S extends z.ZodType>(schema: S, parsed: ConfigValue, whole = "the file"): z.output<S> {
  const result = schema.safeParse(parsed.value);
  if (result.success) return result.data;
  throw new ConfigProblem(result.error.issues.flatMap((issue) => issueFaults(issue, schema, parsed, whole)));
}

function issueFaults(issue: z.core.$ZodIssue, schema: z.ZodType, parsed: ConfigValue, whole: string): ConfigFault[] {
  const path = plainPath(issue.path);
  const name = path.length === 0 ? whole : pathText(path);
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(schema, path);
    return issue.keys.map((key) =>
      parsed.fault(path, `${shownKey(key)} is not a key here${suggestion(key, known)}`, key),
    );
  }
  if (issue.code === "invalid_value") {
    const given = valueAt(parsed.value, path);
    const values = issue.values.map(String);
    const hint = typeof given === "string" ? suggestion(given, values) : "";
    return [parsed.fault(path, `${name} must be ${alternatives(values)}, not ${shown(given)}${hint}`)];
  }
  return [parsed.fault(path, `${name}: ${issue.message}`)];
}

function suggestion(text: string, names: readonly string[]): string {
  const near = nearestName(text, names);
  if (near !== undefined) return `; did you mean ${JSON.stringify(near)}?`;
  return names.length === 0 ? "" : `; it may be ${alternatives(names)}`;
}

function alternatives(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`;
}

function plainPath(path: readonly PropertyKey[]): ConfigPath {
  return path.map((part) => (typeof part === "number" ? part : String(part)));
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  let at: unknown = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** The keys that the schema knows at a path, through optional, default and array wrappers. */
function keysAt(schema: z.ZodType, path: ConfigPath): readonly string[] {
  let at: unknown = unwrap(schema);
  for (const part of path) {
    if (at instanceof z.ZodObject && typeof part === "string") at = unwrap(Reflect.get(at.shape, part));
    else if (at instanceof z.ZodArray) at = unwrap(at.element);
    else return [];
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function unwrap(schema: unknown): unknown {
  let at = schema;
  for (;;) {
    if (at instanceof z.ZodPipe) at = at.out;
    else if (
      at instanceof z.ZodOptional ||
      at instanceof z.ZodNullable ||
      at instanceof z.ZodDefault ||
      at instanceof z.ZodPrefault
    )
      at = at.unwrap();
    else return at;
  }
}
