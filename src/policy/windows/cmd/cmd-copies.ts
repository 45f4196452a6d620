import type { RunEffect } from "../../../model/effect.ts";
import { isRawDevice } from "../paths/raw-device.ts";
import { touchPath } from "../programs/touch-path.ts";
import type { WindowsState } from "../windows-state.ts";
import type { BuiltinCall } from "./run-builtin.ts";

type Word = string | undefined;

/** `copy a+b c`, `move a b` (copy /?, move /?). Where the last word may be a folder or a new name, both places are given. */
export function copyFiles({ name, known, effect }: BuiltinCall, state: WindowsState): void {
  const operands = joinPlus(known.filter((word) => word === undefined || !/^\/[a-z-]/i.test(word)));
  const sources = operands.length > 1 ? operands.slice(0, -1) : operands;
  const target: Word = operands.length > 1 ? operands.at(-1) : ".";
  for (const source of sources.flatMap((word) => (word === undefined ? [word] : word.split("+")))) {
    if (source === "") continue;
    touchPath("read", source, { wildcards: true }, effect, state);
    if (name === "move") touchPath("delete", source, { wildcards: true, tree: true }, effect, state);
    for (const place of places(source, target)) touchPath("write", place, { wildcards: true }, effect, state);
  }
}

/** `a + b` is `a+b`. */
function joinPlus(words: readonly Word[]): readonly Word[] {
  const found: Word[] = [];
  for (const word of words) {
    const last = found.at(-1);
    if (word !== undefined && last !== undefined && (word.startsWith("+") || last.endsWith("+")))
      found[found.length - 1] = last + word;
    else found.push(word);
  }
  return found;
}

/** Where a file lands: in the folder, or under the new name. */
export function places(source: Word, target: Word): readonly Word[] {
  if (source === undefined || target === undefined) return [undefined];
  const base = source.slice(Math.max(source.lastIndexOf("\\"), source.lastIndexOf("/"), source.lastIndexOf(":")) + 1);
  const inside = `${target.replace(/[\\/]$/, "")}\\${base}`;
  if (/[*?]/.test(target) || isRawDevice(target) || /^(nul|con)$/i.test(target)) return [target];
  return /(^|[\\/:])\.{0,2}$/.test(target) ? [inside] : [target, inside];
}

/** `ren a b`: the new name is in the folder of the old one. */
export function renameFiles([source, target]: readonly Word[], effect: RunEffect, state: WindowsState): void {
  touchPath("delete", source, { wildcards: true }, effect, state);
  const folder = source?.slice(0, Math.max(source.lastIndexOf("\\"), source.lastIndexOf("/")) + 1);
  touchPath(
    "write",
    source === undefined || target === undefined ? undefined : `${folder ?? ""}${target}`,
    { wildcards: true },
    effect,
    state,
  );
}
