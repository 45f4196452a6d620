import type { FoundWindows } from "./found-windows.ts";
import type { WindowsPath } from "./windows-path.ts";

/** What is known while a text is walked. Changes of folder and variables count for all that follows, whatever block they stand in. */
export interface WindowsState {
  /** Undefined: not known. */
  cwd: WindowsPath | undefined;
  readonly home: WindowsPath;
  readonly homeText: string;
  /** Variables that the text set to a known value, by name in lower case. */
  readonly variables: Map<string, string>;
  readonly found: FoundWindows;
  /** Walks a text that a command hands to a shell. */
  readonly nest: (shell: "powershell" | "cmd", text: string) => void;
}
