import type { Word } from "../simple-command.ts";
import type { ShellState } from "../state/shell-state.ts";
import { onlyChecking, opaque, type Walk } from "./walk.ts";
import { hidesCode } from "../expand/hides-code.ts";
import { reportEvaluated } from "../expand/evaluated.ts";
import { scriptText } from "./script-text.ts";

/** Reports words in which bash itself would find code: `a[$(id)]` as a name or a number. */
export function reportsHiddenCode(words: readonly Word[], state: ShellState, walk: Walk): void {
  for (const word of words) {
    const text = scriptText(word);
    const open = text.indexOf("[");
    if (!hidesCode(text)) {
      // `read a[x]`: what x holds is evaluated.
      if (open >= 0) reportEvaluated(text.slice(open), [], { state, walk });
      continue;
    }
    opaque(walk, text, "bash would run the substitution in this subscript", "dynamic");
    const code = text.slice(text.search(/[$`]/)).replace(/\][^\]]*$/, "");
    walk.steps.text(`: ${code}`, state, onlyChecking(walk));
  }
}
