import { isProtectedWindows } from "../paths/protected-windows.ts";
import { readWindowsPath } from "../paths/windows-path.ts";
import type { WindowsState } from "../windows-state.ts";

const elevation = /(?:^|[^\w-])(sudo|gsudo|runas|psexec|doas)(?:$|[^\w-])/i;
const deletion = /(?:^|[^\w-])(rd|rmdir|del|erase|ri|rm|remove-item|robocopy|delete)(?:$|[^\w-])/i;
const format = /(?:^|[^\w-])(format|format-volume|clear-disk|initialize-disk|diskpart)(?:$|[^\w-])/i;

/**
 * What is too deep or too much to be read is searched for words: nobody writes that by accident, and a limit must not turn a denial into a
 * question.
 */
export function fearedText(source: string, state: WindowsState): void {
  const { found } = state;
  const plain = source.replace(/[`^'"]/g, "");
  const id = elevation.test(plain)
    ? "windows-elevation"
    : deletion.test(plain)
      ? "windows-recursive-delete"
      : format.test(plain)
        ? "windows-format"
        : undefined;
  if (id === undefined) return;
  const text = source.length > 200 ? `${source.slice(0, 200)}…` : source;
  found.block(id, found.run("?", [text], [], true));
}

/**
 * The same for a loop or a function with more turns than are walked. What was walked once is feared for its values only: where it deletes and one of them
 * is protected, or where one is feared itself.
 */
export function fearedTurns(
  body: string,
  values: readonly (string | undefined)[],
  walked: boolean,
  state: WindowsState,
): void {
  state.work.spend(5 + body.length / 100 + values.length);
  state.found.opaque(body, "it has too many turns", "unread");
  const known = values.filter((value) => value !== undefined);
  const danger = known.some((value) => {
    const path = readWindowsPath(value, state.cwd, state.home);
    return path !== undefined && isProtectedWindows(path, state.homes);
  });
  if (danger || !walked) fearedText(body, state);
  fearedText(known.join(" "), state);
}
