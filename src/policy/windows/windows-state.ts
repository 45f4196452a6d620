import type { ShellWorld } from "../shell/shell-analysis.ts";
import type { Work } from "../work.ts";
import type { FoundWindows } from "./found-windows.ts";
import type { WindowsPath } from "./paths/windows-path.ts";

/** Which shell of Windows reads a text. */
export type WindowsShell = "powershell" | "cmd";

/** What is known while a text is walked. Changes of folder and variables count for all that follows, whatever block they stand in. */
export interface WindowsState {
  /** Undefined: not known. */
  cwd: WindowsPath | undefined;
  /** Folders that a `cd` left: it may fail, and then what follows runs there. The blocklist looks at them, too. */
  earlier: readonly WindowsPath[];
  readonly home: WindowsPath;
  readonly homeText: string;
  /** All homes that are protected. */
  readonly homes: readonly WindowsPath[];
  /** Variables that the text set to a known text, by name in lower case; undefined: set to something unknown. Both shells inherit them. */
  readonly environment: Map<string, string | undefined>;
  readonly found: FoundWindows;
  /** For what is handed to bash and other programs that are the same everywhere. */
  readonly posix: ShellWorld;
  /** Bounds what is done for the whole command. */
  readonly work: Work;
  /** Walks a text that a command hands to a shell. */
  readonly nest: (shell: WindowsShell, text: string) => void;
  /** Counts work that the text makes happen again: loop turns, calls. False: enough. */
  readonly again: (units: number) => boolean;
}

/** The folders that a command may run in, the likeliest first. */
export function folders({ cwd, earlier }: WindowsState): readonly (WindowsPath | undefined)[] {
  return [cwd, ...earlier];
}

/** Folders deeper than this count as unknown: a path has at most 32,767 characters, and each step costs all of it. */
const maxParts = 256;

/** Notes a change of folder that may fail. */
export function moveTo(state: WindowsState, folder: WindowsPath | undefined): void {
  if (state.cwd !== undefined) state.earlier = [state.cwd, ...state.earlier].slice(0, 8);
  state.cwd = folder === undefined || folder.parts.length > maxParts ? undefined : folder;
}
