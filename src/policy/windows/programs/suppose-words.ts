import { posixPath } from "../paths/posix-path.ts";
import { readWindowsPath } from "../paths/windows-path.ts";
import type { WindowsState } from "../windows-state.ts";

/** Work for one name among words, and for a character of them. */
const unitsOfName = 3;
const unitsOfCharacter = 1 / 50;

/** Notes what the words of a program name that is not seen through: it may read and write any of it. */
export function supposeWords(words: readonly string[], state: WindowsState): void {
  const { work } = state;
  for (const word of new Set(words)) {
    work.spend(word.length * unitsOfCharacter);
    for (const name of namesIn(word)) supposeName(name, state);
  }
}

function supposeName(name: string, { cwd, home, posix, found, work }: WindowsState): void {
  work.spend(unitsOfName);
  const path = readWindowsPath(name, cwd, home);
  const at = path === undefined ? undefined : posixPath(path, { home, homePath: posix.facts.home });
  if (at === undefined) return;
  found.suppose("read", at);
  found.suppose("write", at);
}

/** The word, and what of it may be a file: behind `/option:`, between commas, behind `=` or `@`. */
function namesIn(word: string): readonly string[] {
  const value = word.replace(/^[/-][\w-]+:/, "");
  return [word, ...value.split(/[=@,;]+/)].filter((name) => name !== "" && !/^[/-]\w*$/.test(name));
}
