/** A text that is equal exactly where the values are: object keys sorted, maps as lists, bytes as numbers. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Uint8Array) return { bytes: [...part] };
    if (part instanceof Map) return [...part];
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
