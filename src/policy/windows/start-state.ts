import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Facts } from "../../model/facts.ts";
import { walkCmd } from "./cmd/walk-cmd.ts";
import { foundWindows } from "./found-windows.ts";
import { nowhere, readWindowsPath } from "./paths/windows-path.ts";
import { walkPowerShell } from "./powershell/walk-powershell.ts";
import { fearedText } from "./programs/feared-text.ts";
import { createWork, TooMuchWork, type Work } from "../work.ts";
import type { WindowsShell, WindowsState } from "./windows-state.ts";

/** What must be known to read a text for Windows' shells. */
export interface WindowsWorld {
  /** The home of the commands' user as Windows spells it. To rules it is the home of `facts`. */
  readonly home: string;
  readonly cwd: AbsolutePath;
  readonly facts: Facts;
  /** Counts over all texts of one command; its own where none is given. */
  readonly work?: Work;
}

/** Texts inside texts beyond this are not read. */
const maxTexts = 40;

/** Units that are walked again: loop turns, calls, texts handed to a shell. */
const repeatedUnits = 262_144;

/** What is known before anything is read. */
export function startState(world: WindowsWorld): WindowsState {
  const { work = createWork() } = world;
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
        found.opaque(part, "texts inside texts go too deep", "unread");
        fearedText(part, state);
      } else if (inner === "cmd") walkCmd(part, state);
      else walkPowerShell(part, state);
    } catch (error) {
      // The outermost text holds all others.
      if (error instanceof TooMuchWork && depth > 1) throw error;
      if (error instanceof TooMuchWork) {
        found.opaque(part, error.message, "unread");
        fearedText(part, state);
        return;
      }
      found.opaque(part, "the text could not be analysed", error instanceof RangeError ? "unread" : "syntax");
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
    posix: { cwd: world.cwd, facts: world.facts, work },
    work,
    nest,
    again,
  };
  return state;
}
