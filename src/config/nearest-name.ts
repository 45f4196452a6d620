/** The name among `names` that was probably meant: a few letters off, or undefined where none is near. */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const wanted = text.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const distance = editDistance(wanted, name.toLowerCase());
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  return best !== undefined && best.distance <= Math.max(1, Math.floor(Math.min(wanted.length, best.name.length) / 2))
    ? best.name
    : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). Long texts are cut. */
function editDistance(left: string, right: string): number {
  const a = left.slice(0, 40);
  const b = right.slice(0, 40);
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      next.push(best);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
