import type { Word } from "../simple-command.ts";
import type { ShellState } from "../state/shell-state.ts";
import { onlyChecking, opaque, type Walk } from "./walk.ts";
import { scriptText } from "./script-text.ts";

/** A subscript with a substitution: bash runs it where it evaluates a name or a number, quoted or not. */
const subscript = /\[[\s\S]*(\$[({[]|`)/;

/** Reports words in which bash itself would find code: `a[$(id)]` as a name or a number. */
export function reportsHiddenCode(words: readonly Word[], state: ShellState, walk: Walk): void {
  for (const word of words) {
    const text = scriptText(word);
    if (!subscript.test(text)) continue;
    opaque(walk, text, "bash would run the substitution in this subscript", "dynamic");
    const code = text.slice(text.search(/[$`]/)).replace(/\][^\]]*$/, "");
    walk.steps.text(`: ${code}`, state, onlyChecking(walk));
  }
}

/** True where a value would be run if arithmetic ever evaluated it. */
export function hidesCode(value: string): boolean {
  return subscript.test(value);
}
