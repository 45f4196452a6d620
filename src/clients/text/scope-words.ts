import { Access, type Lasts, LastsSchema, type Scope } from "../../gen/sallyport/v1/common_pb.ts";
import { enumWord } from "./words.ts";

/** A granted folder in columns: folder, `ro` or `rw`, how long it lasts, when it expires at the latest. Not yet safe on a terminal. */
export function scopeCells({ root, access, lasts, expiresAt }: Scope): readonly [string, string, string, string] {
  return [root, access === Access.READ_WRITE ? "rw" : "ro", lastsWord(lasts), expiresAt];
}

/** The same in one text: `/data (rw, once, until 2026-12-01T10:00:00.000Z)`. */
export function scopeWords(scope: Scope): string {
  const [root, access, lasts, expires] = scopeCells(scope);
  return `${root} (${access}, ${lasts}${expires === "" ? "" : `, until ${expires}`})`;
}

function lastsWord(lasts: Lasts): string {
  return enumWord(LastsSchema, lasts);
}
