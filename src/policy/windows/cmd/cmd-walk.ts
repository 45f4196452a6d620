import type { WindowsState } from "../windows-state.ts";

/** What the walk of one text knows. */
export interface CmdWalk {
  readonly state: WindowsState;
  /** Walks a text in the same shell. */
  readonly text: (source: string, walk: CmdWalk, fed: string | undefined) => string | undefined;
  /** True inside a loop over all folders below a folder. */
  readonly deep: boolean;
  /** True inside a loop without end. */
  readonly endless: boolean;
  /** How often the text starts something that it does not wait for, and itself. */
  starts: number;
  itself: number;
  readonly labels: Set<string>;
}

/** `/s/q` is two switches. */
export function slashes(text: string): readonly string[] {
  return /^(\/[a-z?](:[^/]*)?)+$/i.test(text) ? (text.match(/\/[a-z?](:[^/]*)?/gi) ?? []) : text === "" ? [] : [text];
}
