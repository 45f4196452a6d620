import type { Atom } from "./atom.ts";

/** One character of a pattern, or what stands for any one or any number of them. */
type Token = { readonly kind: "char"; readonly char: string } | { readonly kind: "any" | "star" };

/** A pattern that is held against a part of a value (bash manual, "Pattern Matching"). */
export type ValuePattern = readonly Token[];

/** Reads a pattern from the atoms of its word. Undefined: something of it is not known, or has a form that is not followed. */
export function valuePattern(atoms: readonly Atom[]): ValuePattern | undefined {
  const tokens: Token[] = [];
  for (const atom of atoms) {
    if (atom.kind !== "text" && atom.kind !== "value") return undefined;
    const live = atom.kind === "value" || !atom.quoted;
    // Brackets, a tilde, and what only extglob understands.
    if (live && /[[~]|[?*+@!]\(/.test(atom.text)) return undefined;
    for (const char of atom.text.split(""))
      tokens.push(
        live && char === "*" ? { kind: "star" } : live && char === "?" ? { kind: "any" } : { kind: "char", char },
      );
  }
  return tokens;
}

/** The text of a pattern without wildcards. */
export function plainPattern(pattern: ValuePattern): string | undefined {
  let text = "";
  for (const token of pattern) {
    if (token.kind !== "char") return undefined;
    text += token.char;
  }
  return text;
}

/** How many characters from the start the pattern can match, shortest first. */
export function matchedPrefixes(value: string, pattern: ValuePattern): readonly number[] {
  let ends: readonly number[] = [0];
  for (const token of pattern) {
    const [least] = ends;
    if (least === undefined) return [];
    if (token.kind === "star") ends = Array.from({ length: value.length - least + 1 }, (_, at) => least + at);
    else
      ends = ends
        .filter((end) => end < value.length && (token.kind !== "char" || value[end] === token.char))
        .map((end) => end + 1);
  }
  return ends;
}
