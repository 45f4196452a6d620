import { entryState, fileState } from "../files/file-state.ts";
import { type AbsolutePath, resolvePath } from "../model/absolute-path.ts";
import type { Action, ExecAction } from "../model/action.ts";
import type { Decision } from "../model/decision.ts";

/**
 * What the files are now on which a person's answer rests. Equal texts: nothing changed. Of a command with an unseen part, what it hands to programs: the files that its words name,
 * and those that it reads. Of a change of files, what it changes or takes away: the person was shown that. Empty for everything else.
 *
 * Not seen: files that no word names, such as a Makefile, words behind a `cd` inside the command, and what changes deep in a folder.
 */
export function operandStates(judged: { readonly decision: Decision; readonly action: Action }): string {
  const { action } = judged;
  switch (action.kind) {
    case "exec":
      return operandsOf(action, judged.decision);
    case "write":
      // What others add meanwhile is no other plan.
      return action.disposition === "append" ? "" : statesOf([action.path]);
    case "edit":
    case "remove":
      return statesOf([action.path]);
    case "move":
    case "copy":
      return statesOf([action.from, action.to]);
    default:
      return "";
  }
}

function statesOf(paths: readonly AbsolutePath[]): string {
  return paths.map((path) => `${path} ${entryState(path) ?? "nothing"}`).join("\n");
}

function operandsOf(action: ExecAction, decision: Decision): string {
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
