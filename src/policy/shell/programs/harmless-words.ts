import type { DynamicWord, Word } from "../simple-command.ts";
import { isPipe, textOf } from "./words.ts";

/** Programs that print or wait, whatever their words hold. */
const printing = /^(echo|true|false|:|sleep|exit|return|basename|dirname)$/;

/** Programs to which what comes through a pipe is text. */
const reading =
  /^(cat|cmp|column|comm|cut|diff|egrep|fgrep|fold|grep|head|join|md5sum|nl|od|paste|sdiff|sha1sum|sha256sum|sha512sum|sort|tac|tail|tee|tr|uniq|wc|xxd)$/;

/** Builtins that set variables. */
const declaring = /^(export|declare|typeset|local|readonly)$/;

/** Operators of test(1) that leave their operands alone. Numbers are read as they stand, unlike in `[[`, where bash computes them; `-v` and `-R` evaluate names. */
const plainUnary = /^-[abcdefghknoprstuwxzGLNOS]$/;
const plainBinary = /^(=|==|!=|<|>|-nt|-ot|-ef|-eq|-ne|-lt|-le|-gt|-ge)$/;
const evaluating = /^-(v|R|l)$/;

/**
 * True for a command that does the same whatever its unknown words turn out to be: it prints or compares them. What fills such a word, a substitution, is a
 * command of its own and judged as one.
 */
export function anyWordWillDo([first, ...words]: readonly Word[]): boolean {
  const name = textOf(first);
  if (name === undefined) return false;
  if (printing.test(name)) return true;
  // The command behind `<(…)` is judged as one, and its output is looked at like a file.
  if (reading.test(name)) return words.every((word) => word.kind !== "dynamic" || isPipe(word));
  // An unknown first word may be the option -v, which sets a variable.
  if (name === "printf") return words[0]?.kind === "literal" && !words[0].value.startsWith("-v");
  if (declaring.test(name)) return words.every((word) => word.kind !== "dynamic" || setsPlainly(word));
  return (name === "test" || name === "[") && comparesOnly(words);
}

/** A value that hides no code: where the variable is an array bash reads the value again, as it reads `(…)`. */
function setsPlainly({ parts, inert }: DynamicWord): boolean {
  return inert === true && /^[A-Za-z_]\w*=/.test(parts[0] ?? "");
}

/** Every unknown word is quoted or hides no code, so that it brings no operator that runs any, and stands beside an operator that leaves it alone. */
function comparesOnly(words: readonly Word[]): boolean {
  const texts = words.map((word) => textOf(word) ?? "");
  if (texts.some((text) => evaluating.test(text))) return false;
  return words.every((word, at) => {
    if (word.kind !== "dynamic") return true;
    const beside =
      plainUnary.test(texts[at - 1] ?? "") ||
      [texts[at - 1], texts[at + 1]].some((text) => plainBinary.test(text ?? ""));
    return beside && (word.inert === true || /^"[^"]*"$/.test(word.text));
  });
}
