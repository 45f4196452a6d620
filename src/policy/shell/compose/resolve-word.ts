import { parseAbsolutePath, type AbsolutePath } from "../../../model/absolute-path.ts";
import { climb } from "../programs/climb.ts";
import { linkOn } from "../programs/link-on.ts";
import { escapeGlob, isAbsolute, shown } from "../programs/words.ts";
import type { PathMention, ProgramWorld } from "../programs/program-effects.ts";
import type { Word } from "../simple-command.ts";

/** Paths that a known word may name, from each known folder. Links that the text made are followed; where nobody can tell, it may be any path. */
export function resolveWord(
  word: Word,
  cwds: readonly (AbsolutePath | undefined)[],
  { linked, real }: ProgramWorld,
): PathMention[] {
  if (word.kind === "dynamic") return [];
  const text = shown(word);
  const glob = word.kind === "glob";
  const bases = isAbsolute(word)
    ? [""]
    : cwds.filter((cwd) => cwd !== undefined).map((cwd) => (glob ? escapeGlob(cwd) : cwd));
  return bases.flatMap((base) => {
    const climbed = climb(isAbsolute(word) ? text : `${base}/${text}`, glob, real);
    if (climbed === undefined) return [{ path: anyPath, exact: false }];
    const path = parseAbsolutePath(climbed);
    return path === undefined ? [] : [{ path: throughLinks(path, linked), exact: !glob }];
  });
}

const anyPath = "/**" as AbsolutePath;

/** The path behind the links that the text made. */
export function throughLinks(path: AbsolutePath, linked: ReadonlyMap<AbsolutePath, AbsolutePath>): AbsolutePath {
  let at = path;
  // As many as the kernel follows (path_resolution(7)).
  for (let turn = 0; turn < 40; turn += 1) {
    const found = linkOn(at, linked, true);
    const next = found === undefined ? undefined : parseAbsolutePath(`${found.target}${at.slice(found.link.length)}`);
    if (next === undefined || next === at) return at;
    at = next;
  }
  return at;
}
