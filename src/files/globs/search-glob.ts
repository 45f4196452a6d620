import { invalid } from "../../model/problem.ts";
import { matchesPath, type PathGlob, parsePathGlob } from "./path-glob.ts";

/** Alternatives that braces may make. */
const maxAlternatives = 64;

/** The names that a search is about. */
export interface NameFilter {
  /** Whether the path below the searched folder, by its components, is meant. */
  readonly matches: (components: readonly string[]) => boolean;
  /** Globs for the last component, one of which every such path fits: for others to look at less. Undefined where that is not plain. */
  readonly lastNames: readonly string[] | undefined;
}

/**
 * Reads the glob of a search: without a slash it is for the last component, otherwise for the whole path below the folder; `{a,b}` are alternatives.
 * Empty: every name.
 * @throws Problem `invalid_argument`
 */
export function parseSearchGlob(text: string): NameFilter {
  if (text === "") return { matches: () => true, lastNames: undefined };
  const alternatives = expandBraces(text);
  const globs = alternatives.map((alternative): PathGlob => {
    const glob = parsePathGlob(alternative.replace(/^\//, ""));
    if (glob === undefined) throw invalid("glob", "a class is not closed, or it ends with a backslash");
    return alternative.includes("/") ? glob : ["rest", ...glob];
  });
  const lastNames = alternatives.map((alternative) => alternative.slice(alternative.lastIndexOf("/") + 1));
  return {
    matches: (components) => globs.some((glob) => matchesPath(glob, components)),
    lastNames: lastNames.every((name) => /^[A-Za-z0-9._*?-]+$/.test(name)) ? lastNames : undefined,
  };
}

/** @throws Problem `invalid_argument` */
function expandBraces(text: string): string[] {
  const done: string[] = [];
  const open = [text];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next);
    if (group === undefined) done.push(next);
    else open.push(...group);
    if (done.length + open.length > maxAlternatives)
      throw invalid("glob", `its braces make more than ${maxAlternatives} names`);
  }
  return done;
}

/** The texts that the first `{a,b}` makes; undefined where there is none. Braces without a comma, and those that are not closed, stand for themselves. */
function firstGroup(text: string): string[] | undefined {
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] === "\\") start += 1;
    else if (text[start] === "{") {
      const cuts = cutsOf(text, start);
      const end = cuts.at(-1);
      if (end === undefined || cuts.length < 2) continue;
      const [head, tail] = [text.slice(0, start), text.slice(end + 1)];
      return cuts.map((cut, at) => head + text.slice((at === 0 ? start : (cuts[at - 1] ?? 0)) + 1, cut) + tail);
    }
  }
  return undefined;
}

/** Where the alternatives of a group end: its commas and its `}`. Empty where it is not closed. */
function cutsOf(text: string, start: number): number[] {
  const cuts: number[] = [];
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === "{") depth += 1;
    else if (character === "," && depth === 1) cuts.push(at);
    else if (character === "}" && (depth -= 1) === 0) return [...cuts, at];
  }
  return [];
}
