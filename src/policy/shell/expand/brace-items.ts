import { type Atom, plainText } from "./atom.ts";

/** One unquoted character, or an atom that braces do not look into. */
export type Item = string | Atom;

/** The items of a word. */
export function itemsOf(atoms: readonly Atom[]): Item[] {
  return atoms.flatMap((atom): Item[] => (atom.kind === "text" && !atom.quoted ? atom.text.split("") : [atom]));
}

/** The word of these items, with characters that stand together as one atom. */
export function joinItems(items: readonly Item[]): Atom[] {
  const atoms: Atom[] = [];
  let text = "";
  for (const item of items) {
    if (typeof item === "string") text += item;
    else {
      if (text !== "") atoms.push(plainText(text));
      text = "";
      atoms.push(item);
    }
  }
  if (text !== "") atoms.push(plainText(text));
  return atoms;
}
