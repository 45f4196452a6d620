import type { ShellAnalysis } from "../shell/shell-analysis.ts";
import { fearedText } from "./programs/feared-text.ts";
import { startState, type WindowsWorld } from "./start-state.ts";
import type { WindowsShell } from "./windows-state.ts";

/** Longer texts are searched, too, but never judged plain. */
const decidedUnits = 32_768;

/** Longest text that is read: nothing longer can start (MAX_ARG_STRLEN of execve(2), and less on Windows). */
const readUnits = 131_072;

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for.
const unseen = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

/**
 * Says what a PowerShell or cmd text would do: a run for each command, the paths of those that are known, and what of it the blocklist forbids.
 * What cannot be seen is opaque. Never throws: what goes wrong inside becomes an opaque part, and what was found until then stays.
 */
export function analyseWindows(text: string, shell: WindowsShell, world: WindowsWorld): ShellAnalysis {
  const state = startState(world);
  const { found } = state;
  if (text.length > decidedUnits) found.opaque(text, `the text is longer than ${decidedUnits} characters`, "limit");
  if (unseen.test(text)) found.opaque(text, "the text holds characters that cannot be seen", "syntax");
  if (text.length > readUnits) fearedText(text, state);
  else state.nest(shell, text);
  const analysis = found.analysis();
  if (analysis.effects.length > 0) return analysis;
  found.opaque(text, "the text holds no command that can be seen", "syntax");
  return found.analysis();
}
