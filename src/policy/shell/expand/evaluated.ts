import { exhausted } from "../../../model/exhausted.ts";
import type { Word as WordNode } from "unbash";
import { shown } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";
import { hidesCode } from "./hides-code.ts";
import { opaque } from "../walk/walk.ts";
import type { Atom } from "./atom.ts";
import type { Expansion } from "./expansion.ts";
import { lookUp } from "./look-up.ts";

/** How many names may lead from one to the next. */
const most = 32;

/** Reports a subscript, an offset or the like in which bash would run code that a file or another command gave (bash manual, "Shell Arithmetic"). */
export function reportEvaluatedWord(node: WordNode, env: Expansion): void {
  reportEvaluated(node.text, env.flattenWord(node), env);
}

/** The same for a word of arithmetic: its names are looked up, and what they hold is read as arithmetic again. */
export function reportEvaluated(text: string, atoms: readonly Atom[], env: Pick<Expansion, "state" | "walk">): void {
  if (atoms.every(isInertAtom) && !hidesCode(joined(atoms)) && namesOnlyInert(text, env)) return;
  opaque(env.walk, text, "arithmetic would run a substitution in a value that is not known", "dynamic");
}

/** Reports words that bash evaluates as a whole, as `let` and `-eq` do. */
export function reportEvaluatedWords(words: readonly Word[], env: Pick<Expansion, "state" | "walk">): void {
  for (const word of words) {
    const text = shown(word);
    reportEvaluated(text, isInert(word) ? [] : [{ kind: "unknown", text, why: "", quoted: true }], env);
  }
}

/** True where a word cannot hold code that the text does not show: it is known, or its unknown parts are numbers. */
export function isInert(word: Word): boolean {
  return word.kind === "literal" || (word.kind === "dynamic" && word.inert === true);
}

/** True where a word that is not known is nothing but a number. */
export function isNumber(word: Word): boolean {
  return word.kind === "dynamic" && word.number === true && word.parts.every((part) => part === undefined);
}

/** What isInert says, for atoms. */
export function isInertAtom(atom: Atom): boolean {
  switch (atom.kind) {
    case "text":
    case "value":
      return true;
    case "unknown":
      return atom.inert === true;
    case "list":
      return atom.items.every(isInert);
    case "match":
      return false;
    default:
      return exhausted(atom);
  }
}

function joined(atoms: readonly Atom[]): string {
  return atoms.map((atom) => ("text" in atom && atom.kind !== "unknown" ? atom.text : "0")).join("");
}

/** True where no name in the text holds something from outside, nor a name that does. */
function namesOnlyInert(text: string, { state, walk }: Pick<Expansion, "state" | "walk">): boolean {
  const names = new Set(text.match(/[A-Za-z_]\w*/g));
  let looked = 0;
  for (const name of names) {
    if ((looked += 1) > most) return false;
    const { value, inert, match } = lookUp(name, state, walk);
    if (value === undefined && (inert !== true || match !== undefined)) return false;
    for (const next of value?.match(/[A-Za-z_]\w*/g) ?? []) names.add(next);
  }
  return true;
}
