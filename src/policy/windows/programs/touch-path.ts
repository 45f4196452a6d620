import { resolvePath } from "../../../model/absolute-path.ts";
import type { PathEffect, RunEffect } from "../../../model/effect.ts";
import { posixPath, posixPattern } from "../paths/posix-path.ts";
import { isProtectedWindows } from "../paths/protected-windows.ts";
import { isRawDevice } from "../paths/raw-device.ts";
import { readWindowsPath, type WindowsPath } from "../paths/windows-path.ts";
import { folders, type WindowsState } from "../windows-state.ts";

/** How a path is meant. */
export interface PathWay {
  /** With everything below. */
  readonly tree?: boolean;
  /** The name is looked for in all folders below its own, as `dir /s` does. */
  readonly everywhere?: boolean;
  /** `*` and `?` are live. */
  readonly wildcards?: boolean;
  /** `[a-z]` is live, too, as in PowerShell. */
  readonly classes?: boolean;
}

/** Names that are no files, in whatever folder (Win32 naming conventions). */
const nothing = /^(?:\\\\\.\\)?(nul|con|conin\$|conout\$)$/i;
const device = /^(?:.*\\)?(prn|aux|com\d|lpt\d)(?:\.[^\\]*)?$/i;

/** Work for one path, for each folder on its way, which a relative one has from where the command is, and for a character as it was written. */
const unitsOfPath = 4;
const unitsOfFolder = 0.5;
const unitsOfCharacter = 0.1;

/** Notes what a command does to a path. Where nobody can say which path that is, the command is opaque. */
export function touchPath(
  kind: PathEffect["kind"],
  text: string | undefined,
  way: PathWay,
  owner: RunEffect,
  state: WindowsState,
): void {
  const { found, cwd, home, posix } = state;
  state.work.spend(unitsOfPath + (text ?? "").length * unitsOfCharacter);
  if (text === undefined) return found.opaque(owner.text, "a path is not known before it runs", "dynamic");
  if (nothing.test(text)) return;
  if (isRawDevice(text)) {
    if (kind !== "read") found.block("windows-device", owner);
    return found.opaque(owner.text, "it opens a disk below its file system", "syntax");
  }
  const path = readWindowsPath(text, cwd, home);
  if (path === undefined || device.test(text))
    return found.opaque(owner.text, "nobody can say which file a path means", "syntax");
  state.work.spend(path.parts.length * unitsOfFolder);
  const folder = /(^|[\\/:])\.{0,2}$/.test(text);
  if (way.everywhere === true && !folder) return touchEverywhere(kind, path, owner, state);
  const tree = way.tree === true || way.everywhere === true;
  const pattern = way.wildcards === true && path.parts.some((part) => (way.classes ? /[*?[]/ : /[*?]/).test(part));
  const world = { home, homePath: posix.facts.home };
  const at =
    pattern || tree
      ? posixPattern(path, world, { wildcards: pattern, classes: way.classes === true, tree })
      : posixPath(path, world);
  if (at === undefined) return found.opaque(owner.text, "a path is too long", "limit");
  found.path(kind, at, !pattern && !tree);
}

/** `del /s x`: each `x` below the folder; where it may be a folder itself, all that it holds. */
function touchEverywhere(kind: PathEffect["kind"], path: WindowsPath, owner: RunEffect, state: WindowsState): void {
  const { found, home, posix } = state;
  const world = { home, homePath: posix.facts.home };
  const live = { wildcards: true, classes: false };
  const name = path.parts.at(-1) ?? "*";
  const named = !/[*?]/.test(name);
  const folder = posixPattern({ ...path, parts: path.parts.slice(0, -1) }, world, { ...live, tree: true });
  const whole = named || path.parts.length === 0 ? posixPattern(path, world, { ...live, tree: true }) : undefined;
  const spelled = posixPattern({ drive: "", parts: [name] }, world, { ...live, tree: false });
  if (folder === undefined || spelled === undefined) return found.opaque(owner.text, "a path is too long", "limit");
  if (whole !== undefined) found.path(kind, whole, false);
  const below = resolvePath(folder, spelled.slice(1));
  if (below !== undefined && path.parts.length > 0) found.path(kind, spelled === "/*" ? folder : below, false);
}

/** Blocks a command that deletes a protected folder with all below. */
export function guardTree(text: string, wildcards: boolean, owner: RunEffect, state: WindowsState): void {
  const hit = folders(state).some((cwd) => {
    state.work.spend(text.length * unitsOfCharacter);
    const path = readWindowsPath(text, cwd, state.home);
    state.work.spend((path?.parts.length ?? 0) * unitsOfFolder);
    return path !== undefined && isProtectedWindows(path, state.homes, wildcards);
  });
  if (hit) state.found.block("windows-recursive-delete", owner);
}
