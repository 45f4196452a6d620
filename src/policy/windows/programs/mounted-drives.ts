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
    if (effect.kind !== "delete" || effect.exact) continue;
    const drive = /^\/(?:mnt\/|cygdrive\/)?([a-z]):?(\/.*)?$/i.exec(effect.path);
    const text = effect.path.replace(/\/\*\*$/, "");
    if (drive?.[1] !== undefined)
      guardTree(`${drive[1]}:${(drive[2] ?? "").replace(/\/\*\*$/, "")}\\`, true, owner, state);
    else if (text === "/mnt" || text === "/cygdrive") guardTree("?:\\", true, owner, state);
  }
}
