import type { RunEffect } from "../../model/effect.ts";
import type { BlockedRun } from "../shell/shell-analysis.ts";
import { programName } from "./programs/program-call.ts";
import { runProgram } from "./programs/run-program.ts";
import { startState, type WindowsWorld } from "./start-state.ts";

/** What the blocklist forbids of a shell of Windows that a POSIX command starts: `pwsh -c '…'`, `cmd.exe /c …` under WSL. `fed`: its standard input, where that is known. */
export function blockedRuns(effect: RunEffect, fed: string | undefined, world: WindowsWorld): readonly BlockedRun[] {
  const name = programName(effect.program);
  if (!/^(powershell|pwsh|cmd|wsl|runas|gsudo)$/.test(name)) return [];
  const state = startState(world);
  const words = effect.argv.slice(1);
  runProgram({ name, words, line: words.join(" "), effect, fed: fed === undefined ? [] : [fed] }, state);
  return state.found.analysis().blocked.map(({ rule }) => ({ rule, effect }));
}
