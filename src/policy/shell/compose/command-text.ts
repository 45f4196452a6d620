import { quote } from "shell-quote";
import { shown } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";

/** Text that bash reads as it stands, the empty braces of find and xargs and the brackets of a test among it. */
const plain = /^(?:(?:[\w.,:=@%+/-]|\{\})+|[[\]])$/;

/** The canonical text of a command: words quoted where bash would need it, joined by one blank. Unknown words stand as they were written. */
export function commandText(words: readonly Word[]): string {
  return words.map(wordText).join(" ");
}

function wordText(word: Word): string {
  const text = shown(word);
  return word.kind !== "literal" || plain.test(text) ? text : quote([text]);
}
