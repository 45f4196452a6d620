/** Fields by which usual frameworks take another method than the request's. */
const overrides: ReadonlySet<string> = new Set(["x-http-method-override", "x-http-method", "x-method-override"]);

/**
 * The method that a header asks a server to act by, in capitals, where it is another one than the request's. Servers that hand fields on as variables take `_` for `-`.
 * Not seen: what frameworks read from a form in the body (`_method`).
 */
export function overridingMethod(
  method: string,
  fields: readonly (readonly [name: string, value: string])[],
): string | undefined {
  return fields
    .filter(([name]) => overrides.has(name.toLowerCase().replaceAll("_", "-")))
    .map(([, value]) => value.trim().toUpperCase())
    .find((asked) => asked !== "" && asked !== method.toUpperCase());
}
