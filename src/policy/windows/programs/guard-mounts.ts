import type { RunEffect } from "../../../model/effect.ts";
import type { ShellAnalysis } from "../../shell/shell-analysis.ts";
import type { WindowsState } from "../windows-state.ts";
import { guardTree } from "./touch-path.ts";

/**
 * Takes over what a POSIX program does, and blocks it where it deletes a protected folder of Windows: as `/C:/x`, which is how its words were
 * handed over, as `/mnt/c/x` of WSL, or as `/c/x` of Git's bash.
 */
export function guardMounts(owner: RunEffect, analysis: ShellAnalysis, state: WindowsState): void {
  const own = analysis.effects.filter(
    (effect) =>
      !(effect.kind === "run" && effect.argv.length === owner.argv.length && effect.program === owner.program),
  );
  state.found.merge({ ...analysis, effects: own });
  for (const effect of analysis.effects) {
    if (effect.kind === "delete" && !effect.exact) guardPosix(effect.path.replace(/\/\*\*$/, ""), owner, state);
    if (effect.kind !== "run" || !effect.argv.slice(0, 4).some((word) => deletesFolders.test(word))) continue;
    for (const word of effect.argv.slice(1)) if (!word.startsWith("-")) guardPosix(word, owner, state);
  }
}

/** Programs of npm that delete whatever they are given with all below. */
const deletesFolders = /^(rimraf|del-cli|trash-cli|trash)(@[\w.-]+)?$/;

function guardPosix(path: string, owner: RunEffect, state: WindowsState): void {
  const drive = /^\/(?:mnt\/|cygdrive\/)?([a-z]):?(\/.*)?$/i.exec(path);
  if (drive?.[1] !== undefined) guardTree(`${drive[1]}:${drive[2] ?? ""}\\`, true, owner, state);
  else if (path === "/mnt" || path === "/cygdrive") guardTree("?:\\", true, owner, state);
}
