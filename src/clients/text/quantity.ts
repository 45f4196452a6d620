const unitBytes: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  kB: 1000,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/** Parses `4096`, `64KiB`, `1.5GiB`, `10MB` into bytes; undefined for anything else and for nothing. */
export function parseBytes(text: string): number | undefined {
  const found = /^(\d{1,15}(?:\.\d{1,3})?) ?([A-Za-z]{0,3})$/.exec(text);
  const unit = unitBytes[found?.[2] ?? "?"];
  if (found === null || unit === undefined) return undefined;
  const bytes = Math.round(Number(found[1]) * unit);
  return bytes >= 1 && Number.isSafeInteger(bytes) ? bytes : undefined;
}
