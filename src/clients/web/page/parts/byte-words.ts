const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** A size for a person: `12 KiB`, `1.5 MiB`. */
export function byteWords(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[unit] ?? ""}`;
}
