const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses `500ms`, `30s`, `5m`, `2h` or plain seconds into milliseconds; undefined for anything else and for nothing. */
export function parseDuration(text: string): number | undefined {
  const found = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(text);
  if (found === null) return undefined;
  const ms = Math.round(Number(found[1]) * (unitMs[found[2] ?? "s"] ?? 0));
  return ms >= 1 && ms <= 86_400_000 ? ms : undefined;
}

/** A duration for a person: `4 min 5 s`, `12 s`, `0 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}
