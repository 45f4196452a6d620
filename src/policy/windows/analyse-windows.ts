import type { ShellAnalysis } from "../shell/shell-analysis.ts";
import { walkCmd } from "./walk-cmd.ts";
import { foundWindows } from "./found-windows.ts";
import { walkPowerShell } from "./walk-powershell.ts";
import { readWindowsPath, type WindowsPath } from "./windows-path.ts";
import type { WindowsState } from "./windows-state.ts";

/** What must be known to read a text for Windows' shells. Both may be spelled the Windows or the POSIX way. */
export interface WindowsWorld {
  readonly home: string;
  readonly cwd: string;
}

/** Texts inside texts beyond this are not read. */
const maxTexts = 12;

/** Longer texts are searched, too, but never judged plain. */
const decidedUnits = 32_768;

/**
 * Looks for what the blocklist forbids in PowerShell or cmd text, and gives a run for each command. Only commands of plain words are seen
 * through; everything else is opaque, so it asks. Never throws.
 */
export function analyseWindows(text: string, shell: "powershell" | "cmd", world: WindowsWorld): ShellAnalysis {
  const found = foundWindows();
  const nowhere: WindowsPath = { drive: "", parts: [] };
  const home = readWindowsPath(world.home, nowhere, nowhere) ?? nowhere;
  let depth = 0;
  const nest = (inner: "powershell" | "cmd", part: string): void => {
    depth += 1;
    if (depth > maxTexts) found.opaque(part, "texts inside texts go too deep", "limit");
    else if (inner === "cmd") walkCmd(part, state);
    else walkPowerShell(part, state);
    depth -= 1;
  };
  const state: WindowsState = {
    cwd: readWindowsPath(world.cwd, nowhere, home),
    home,
    homeText: world.home,
    variables: new Map(),
    found,
    nest,
  };
  if (text.length > decidedUnits) found.opaque(text, `the text is longer than ${decidedUnits} characters`, "limit");
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for.
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/.test(text))
    found.opaque(text, "the text holds characters that cannot be seen", "syntax");
  try {
    nest(shell, text);
  } catch (error) {
    found.opaque(text, "the text could not be analysed", error instanceof RangeError ? "limit" : "syntax");
  }
  const analysis = found.analysis();
  if (analysis.effects.length > 0) return analysis;
  found.opaque(text, "the text holds no command that can be seen", "syntax");
  return found.analysis();
}
