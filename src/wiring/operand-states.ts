import { fileState } from "../files/file-state.ts";
import { type AbsolutePath, resolvePath } from "../model/absolute-path.ts";
import type { Action } from "../model/action.ts";
import type { Decision } from "../model/decision.ts";

/**
 * What the files that a command hands to programs are now: those that its words name, and those that it reads. Equal texts: nothing changed. Empty for
 * everything but a command with an unseen part: what a script does depends on what is in it.
 *
 * Not seen: files that no word names, such as a Makefile, and words behind a `cd` inside the command.
 */
export function operandStates({ decision, action }: { readonly decision: Decision; readonly action: Action }): string {
  if (action.kind !== "exec") return "";
  const effects = decision.findings.map(({ effect }) => effect);
  if (!effects.some(({ kind }) => kind === "opaque")) return "";
  const paths = new Set<AbsolutePath>();
  for (const effect of effects) {
    if (effect.kind === "read" && effect.exact) paths.add(effect.path);
    if (effect.kind !== "run") continue;
    for (const word of effect.argv) {
      const path = resolvePath(action.cwd, word);
      if (path !== undefined) paths.add(path);
    }
  }
  return [...paths].map((path) => `${path} ${fileState(path) ?? "no file"}`).join("\n");
}
