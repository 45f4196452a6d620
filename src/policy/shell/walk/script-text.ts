import { exhausted } from "../../../model/exhausted.ts";
import type { Word } from "../simple-command.ts";

/** An expansion whose value is never known: it stands for the unknown parts of a text that is read as a script. */
const hole = "${_}";

/** A word as script text, for the blocklist: unknown parts become an expansion that stays unknown. */
export function scriptText(word: Word): string {
  switch (word.kind) {
    case "literal":
      return word.value;
    case "glob":
      return word.pattern;
    case "dynamic":
      return word.parts.map((part) => part ?? hole).join("");
    default:
      return exhausted(word);
  }
}

/** True for a script that starts nothing: blanks and comments. */
export function isEmptyScript(text: string): boolean {
  return text.split("\n").every((line) => /^[ \t]*(#|$)/.test(line));
}
