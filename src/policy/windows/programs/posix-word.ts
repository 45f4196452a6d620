import { posixPath } from "../paths/posix-path.ts";
import { readWindowsPath } from "../paths/windows-path.ts";
import type { WindowsState } from "../windows-state.ts";

/** A word as a POSIX program would be given it. */
interface PosixWord {
  readonly text: string;
  /** False where it may be a path in a spelling that only Windows knows. */
  readonly sure: boolean;
}

/** Writes a Windows path as a POSIX one: `C:\x` as scopes and rules spell it, `a\b` as `a/b`; also behind `--option=`. */
export function posixWord(word: string, state: WindowsState): PosixWord {
  if (/[*?[\]]|[^\x20-\x7e]/.test(word)) return { text: word, sure: false };
  // No path: an address, text with blanks, plain words and options.
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(word) || (/\s/.test(word) && !/^[a-z]:[\\/]/i.test(word)))
    return { text: word, sure: true };
  const [, option = "", value = ""] = /^(--?[\w-]+=|of=|if=|@)?(.*)$/s.exec(word) ?? [];
  if (/^[a-z]:|^\\|^~[\\/]/i.test(value)) {
    const path = readWindowsPath(value, state.cwd, state.home);
    const posix =
      path === undefined ? undefined : posixPath(path, { home: state.home, homePath: state.posix.facts.home });
    return { text: posix === undefined ? word : `${option}${posix}`, sure: posix !== undefined };
  }
  if (/^[\w .@~^+=,()/\\-]+$/.test(value) && !value.startsWith("-"))
    return { text: `${option}${value.replaceAll("\\", "/")}`, sure: true };
  return { text: word, sure: !/\\|(^|[^\w])[a-z]:/i.test(word) };
}
