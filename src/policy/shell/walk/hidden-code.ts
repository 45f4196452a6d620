import type { Word } from "../simple-command.ts";
import type { ShellState } from "../state/shell-state.ts";
import { onlyChecking, opaque, type Walk } from "./walk.ts";
import { scriptText } from "./script-text.ts";

/** What bash runs in a subscript where it evaluates a name or a number, quoted or not. */
const expansion = /\$[({[]|`/;

/** Reports words in which bash itself would find code: `a[$(id)]` as a name or a number. */
export function reportsHiddenCode(words: readonly Word[], state: ShellState, walk: Walk): void {
  for (const word of words) {
    const text = scriptText(word);
    if (!hidesCode(text)) continue;
    opaque(walk, text, "bash would run the substitution in this subscript", "dynamic");
    const code = text.slice(text.search(/[$`]/)).replace(/\][^\]]*$/, "");
    walk.steps.text(`: ${code}`, state, onlyChecking(walk));
  }
}

/** True where a value would be run if arithmetic ever evaluated it. */
export function hidesCode(value: string): boolean {
  const open = value.indexOf("[");
  return open >= 0 && expansion.test(value.slice(open));
}
