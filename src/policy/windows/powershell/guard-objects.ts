import type { RunEffect } from "../../../model/effect.ts";
import { isRawDevice } from "../paths/raw-device.ts";
import type { Walk } from "./session.ts";
import { textOf, type Value } from "./value.ts";

/** Blocks an object that asks for other rights: `@{ FileName = 'cmd'; Verb = 'RunAs' }`. */
export function guardObject(value: Value, owner: RunEffect | undefined, { state }: Walk): void {
  if (value?.kind !== "table" || !/^runas/i.test(textOf(value.entries.get("verb")) ?? "")) return;
  const effect = owner ?? state.found.run("start-process", ["Start-Process", "-Verb", "RunAs"], [], false);
  state.found.block("windows-elevation", effect);
}

/** Methods that write, and streams that are opened for it. */
const writes =
  /^(writeall\w+|appendall\w+|openwrite|create|createtext|appendtext|copy|move|replace|filestream|(system\.)?io\.(filestream|streamwriter|binarywriter))$/;

/** Blocks what opens a disk itself for writing. */
export function guardOpen(
  member: string,
  words: readonly (string | undefined)[],
  owner: RunEffect,
  { state }: Walk,
): void {
  const known = words.filter((word) => word !== undefined);
  if (!known.some(isRawDevice)) return;
  const name = member.toLowerCase();
  const opens = /^(open|openhandle|new|filestream|(system\.)?io\.filestream)$/.test(name);
  const reads = opens && known.some((word) => /^read$/i.test(word));
  if ((opens && !reads) || (!opens && writes.test(name))) state.found.block("windows-device", owner);
}
