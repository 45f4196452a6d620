const units: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/** Reads a size such as `512MiB` or a whole number of bytes; undefined where it is none. */
export function parseBytes(value: string | number): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  const found = /^(\d{1,12})\s*([KMG]i?B|B)$/.exec(value);
  const bytes = Number(found?.[1]) * (units[found?.[2] ?? ""] ?? Number.NaN);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

const seconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** Reads a length of time such as `90s`, `5m`, `2h` or `7d` into milliseconds; undefined where it is none. A unit is needed. */
export function parseDuration(value: string): number | undefined {
  const found = /^(\d{1,9})\s*(ms|s|m|h|d)$/.exec(value);
  const ms = Number(found?.[1]) * (seconds[found?.[2] ?? ""] ?? Number.NaN) * 1000;
  return Number.isSafeInteger(ms) ? ms : undefined;
}
