/** Options of a program, as far as their values matter. */
export interface ScriptOptions {
  /** Letters whose value is a script. */
  readonly short?: string;
  /** Letters of which it is one only where it is glued to them. */
  readonly glued?: string;
  /** Other letters that take a value, which ends a cluster. */
  readonly valued?: string;
  /** Long names whose value is a script, without dashes. */
  readonly long?: readonly string[];
}

/** The values of those options, however they are written: apart, glued, in a cluster, behind `=`, or with the name cut short. */
export function optionValues(
  words: readonly string[],
  { short = "", glued = "", valued = "", long = [] }: ScriptOptions,
): string[] {
  const found: string[] = [];
  for (const [at, word] of words.entries()) {
    const next = words[at + 1] ?? "";
    if (word.startsWith("--")) {
      const cut = word.indexOf("=");
      const name = word.slice(2, cut < 0 ? undefined : cut);
      if (name.length > 1 && long.some((full) => full.startsWith(name)))
        found.push(cut < 0 ? next : word.slice(cut + 1));
      continue;
    }
    const value = /^-./.test(word) ? clusterValue(word, next, { short, glued, valued }) : undefined;
    if (value !== undefined) found.push(value);
  }
  return found;
}

function clusterValue(
  word: string,
  next: string,
  { short, glued, valued }: { readonly short: string; readonly glued: string; readonly valued: string },
): string | undefined {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word.charAt(at);
    const rest = word.slice(at + 1);
    if (short.includes(letter)) return rest === "" ? next : rest;
    if (glued.includes(letter) && rest !== "") return rest;
    if (valued.includes(letter)) return undefined;
  }
  return undefined;
}

/** Everything that a pattern's first group finds in texts. */
export function findAll(texts: readonly string[], pattern: RegExp): string[] {
  return texts.flatMap((text) =>
    Array.from(text.matchAll(pattern), (match) => match.slice(1).find((group) => group !== undefined) ?? ""),
  );
}
