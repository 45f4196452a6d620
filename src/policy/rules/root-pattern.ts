import type { AbsolutePath } from "../../model/absolute-path.ts";
import { escapeGlob } from "./escape-glob.ts";

/** What relative patterns and `~` stand for. */
export interface PatternWorld {
  readonly home: AbsolutePath;
  /** Undefined: relative patterns cannot be resolved and match nothing. */
  readonly workspace: AbsolutePath | undefined;
}

/** A file pattern from `/` on: `~` and `$HOME` are the home folder, anything else relative belongs to the workspace. Undefined where there is no workspace. */
export function rootPattern(text: string, { home, workspace }: PatternWorld): string | undefined {
  if (text.startsWith("/")) return text;
  const [mark] = /^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/.exec(text) ?? [];
  if (mark !== undefined) return `${escapeGlob(home)}${text.slice(mark.length)}`;
  return workspace === undefined ? undefined : `${escapeGlob(workspace)}/${text}`;
}
