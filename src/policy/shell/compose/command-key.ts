import type { SimpleCommand, Word } from "../simple-command.ts";
import type { Forms } from "./forms.ts";

/** Tells commands apart by all that their effects depend on. `how`: what is asked about them, and in which situation. Every text stands behind its length, so that none can pass for another. */
export function commandKey(
  { argv, assignments, redirects, cwds, tainted }: SimpleCommand,
  around: Forms | undefined,
  how: string,
): string {
  let key = how;
  if (tainted) key += " tainted";
  if (around !== undefined) key += ` in ${around.key}`;
  for (const cwd of cwds) key += cwd === undefined ? " ?" : ` ${cwd.length} ${cwd}`;
  for (const { name, value, exported } of assignments)
    key += `${exported ? "+" : "="}${name.length} ${name}${wordKey(value)}`;
  for (const { operator, fd, target } of redirects) key += `${operator}${fd ?? ""}${wordKey(target)}`;
  for (const word of argv) key += wordKey(word);
  return key;
}

function wordKey(word: Word): string {
  if (word.kind === "literal") return `.${word.value.length} ${word.value}`;
  if (word.kind === "glob") return `*${word.pattern.length} ${word.pattern}`;
  const parts = word.parts.map((part) => (part === undefined ? "?" : `${part.length} ${part}`)).join("");
  return `$${word.text.length} ${word.text}${parts} ${word.why.length} ${word.why}`;
}
