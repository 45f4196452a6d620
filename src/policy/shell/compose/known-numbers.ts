import { headOf, literal, textOf } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";

/** Options whose value is a number, which may be the next word. */
const counting = /^(-j|--jobs|--workers|--threads|--parallel)$/;

/**
 * Words in which a number is the value of an option (`make -j$(nproc)`), with a number in its place: which one it is changes nothing of what the command is. Other numbers may
 * be names of files, and stay unknown.
 */
export function knownNumbers(words: readonly Word[]): readonly Word[] {
  if (!words.some((word) => word.kind === "dynamic" && word.number === true)) return words;
  return words.map((word, at) => {
    if (at === 0 || word.kind !== "dynamic" || word.number !== true) return word;
    const whole = word.parts.every((part) => part === undefined);
    const isValue = /^-\w/.test(headOf(word)) || (whole && counting.test(textOf(words[at - 1]) ?? ""));
    return isValue ? literal(word.parts.map((part) => part ?? "1").join("")) : word;
  });
}
