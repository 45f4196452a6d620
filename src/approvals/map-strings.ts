/**
 * Copies plain data with every string in it replaced. What was a name or a number of Sallyport's own stays the same as long as `map` keeps plain ASCII, so the copy
 * has the type of the original.
 */
export function mapStrings<T>(value: T, map: (text: string) => string): T {
  // The copy has the same shape; the type system cannot follow that through an unknown T.
  return copy(value, map) as T;
}

function copy(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => copy(item, map));
  if (typeof value !== "object" || value === null || value instanceof Date || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copy(item, map)]));
}
