import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Facts } from "../../model/facts.ts";
import type { ShellAnalysis } from "../shell/shell-analysis.ts";
import { walkCmd } from "./cmd/walk-cmd.ts";
import { foundWindows } from "./found-windows.ts";
import { fearedText } from "./programs/feared-text.ts";
import { nowhere, readWindowsPath } from "./paths/windows-path.ts";
import { walkPowerShell } from "./powershell/walk-powershell.ts";
import type { WindowsShell, WindowsState } from "./windows-state.ts";

/** What must be known to read a text for Windows' shells. */
export interface WindowsWorld {
  /** The home of the commands' user as Windows spells it. To rules it is the home of `facts`. */
  readonly home: string;
  readonly cwd: AbsolutePath;
  readonly facts: Facts;
}

/** Texts inside texts beyond this are not read. */
const maxTexts = 40;

/** Longer texts are searched, too, but never judged plain. */
const decidedUnits = 32_768;

/** Longest text that is read: nothing longer can start (MAX_ARG_STRLEN of execve(2), and less on Windows). */
const readUnits = 131_072;

/** Units that are walked again: loop turns, calls, texts handed to a shell. */
const repeatedUnits = 262_144;

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for.
const unseen = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

/**
 * Says what a PowerShell or cmd text would do: a run for each command, the paths of those that are known, and what of it the blocklist forbids.
 * What cannot be seen is opaque. Never throws: what goes wrong inside becomes an opaque part, and what was found until then stays.
 */
export function analyseWindows(text: string, shell: WindowsShell, world: WindowsWorld): ShellAnalysis {
  const found = foundWindows();
  const home = readWindowsPath(world.home, nowhere, nowhere) ?? nowhere;
  const posixHomes = [world.facts.home, ...world.facts.homes].filter((path) => path !== "/");
  let depth = 0;
  let left = repeatedUnits;
  const again = (units: number): boolean => (left -= units) > 0;
  const nest = (inner: WindowsShell, part: string): void => {
    depth += 1;
    try {
      if (depth > maxTexts || (depth > 1 && !again(part.length + 64))) {
        found.opaque(part, "texts inside texts go too deep", "limit");
        fearedText(part, state);
      } else if (inner === "cmd") walkCmd(part, state);
      else walkPowerShell(part, state);
    } catch (error) {
      found.opaque(part, "the text could not be analysed", error instanceof RangeError ? "limit" : "syntax");
      if (error instanceof RangeError) fearedText(part, state);
    } finally {
      depth -= 1;
    }
  };
  const state: WindowsState = {
    cwd: readWindowsPath(world.cwd, nowhere, home),
    earlier: [],
    home,
    homeText: world.home,
    homes: [home, ...posixHomes.flatMap((path) => readWindowsPath(path, nowhere, nowhere) ?? [])],
    environment: new Map(),
    found,
    posix: { cwd: world.cwd, facts: world.facts },
    nest,
    again,
  };
  if (text.length > decidedUnits) found.opaque(text, `the text is longer than ${decidedUnits} characters`, "limit");
  if (unseen.test(text)) found.opaque(text, "the text holds characters that cannot be seen", "syntax");
  if (text.length > readUnits) fearedText(text, state);
  else nest(shell, text);
  const analysis = found.analysis();
  if (analysis.effects.length > 0) return analysis;
  found.opaque(text, "the text holds no command that can be seen", "syntax");
  return found.analysis();
}
