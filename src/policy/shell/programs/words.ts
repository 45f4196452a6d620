import { exhausted } from "../../../model/exhausted.ts";
import type { LiteralWord, Word } from "../simple-command.ts";

/** A word that is known to the last character. */
export function literal(value: string): LiteralWord {
  return { kind: "literal", value };
}

/** The text of a literal word; undefined for every other word. */
export function textOf(word: Word | undefined): string | undefined {
  return word?.kind === "literal" ? word.value : undefined;
}

/** What is surely at the start of a word: all of a literal, the part before the first live glob character, or the first known piece. */
export function headOf(word: Word): string {
  switch (word.kind) {
    case "literal":
      return word.value;
    case "glob":
      return /^[^*?[\\]*/.exec(word.pattern)?.[0] ?? "";
    case "dynamic":
      return word.parts[0] ?? "";
    default:
      return exhausted(word);
  }
}

/**
 * The text that a program gets: of a pattern the one it is written as, which it gets where nothing matches (`https://h/x?y=1`). Undefined
 * where it is not known.
 */
export function spelling(word: Word | undefined): string | undefined {
  return word?.kind === "glob" ? unescapeGlob(word.pattern) : textOf(word);
}

/** The word that chooses what a program does (`install`, `add`); empty where there is none, `?` where it is not known. */
export function verbOf(word: Word | undefined): string {
  return word === undefined ? "" : (textOf(word) ?? "?");
}

/** A readable form for reasons: the value, the pattern, or the word as it was written. */
export function shown(word: Word): string {
  switch (word.kind) {
    case "literal":
      return word.value;
    case "glob":
      return word.pattern;
    case "dynamic":
      return word.text;
    default:
      return exhausted(word);
  }
}

/** The word without its first `count` characters, all of which must lie in its head. */
export function dropHead(word: Word, count: number): Word {
  switch (word.kind) {
    case "literal":
      return literal(word.value.slice(count));
    case "glob":
      return { kind: "glob", pattern: word.pattern.slice(count) };
    case "dynamic":
      return { ...word, parts: [(word.parts[0] ?? "").slice(count), ...word.parts.slice(1)] };
    default:
      return exhausted(word);
  }
}

/** Escapes glob characters, so that the text stands for itself inside a pattern. */
export function escapeGlob(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}

/** True for a process substitution standing alone, such as `<(sort a)`: a pipe to another command, not a file. */
export function isPipe(word: Word): boolean {
  return word.kind === "dynamic" && word.parts.length === 1 && word.parts[0] === undefined && /^[<>]\(/.test(word.text);
}

/** Joins words into one, as if they were written without a blank between them. */
export function concat(...words: readonly Word[]): Word {
  const dynamic = words.find((word) => word.kind === "dynamic");
  if (dynamic !== undefined) return { ...dynamic, parts: [undefined] };
  if (words.every((word) => word.kind === "literal")) return literal(words.map((word) => word.value).join(""));
  return { kind: "glob", pattern: words.map(patternOf).join("") };
}

/** The word with a literal text behind it. */
export function withSuffix(word: Word, suffix: string): Word {
  return concat(word, literal(suffix));
}

/** `folder/name`. */
export function inFolder(folder: Word, name: Word): Word {
  return concat(withSuffix(folder, "/"), name);
}

/** A path without the slashes at its end; of `/` nothing is left. The pattern looks back, for else it would be tried at every slash of a run. */
export function withoutSlashes(path: string): string {
  return path.replace(/(?<!\/)\/+$/, "");
}

/** The last component as basename(1) gives it; an empty literal for `/` alone. Undefined where it is not known. */
export function baseOf(word: Word): Word | undefined {
  if (word.kind === "dynamic") return undefined;
  const text = withoutSlashes(patternOf(word));
  const base = text.slice(text.lastIndexOf("/") + 1);
  return word.kind === "glob" && /(^|[^\\])[*?[]/.test(base)
    ? { kind: "glob", pattern: base }
    : literal(unescapeGlob(base));
}

/** True where a word can only name a folder: it ends in a slash or in a `.` or `..` component. */
export function namesFolder(word: Word): boolean {
  return word.kind !== "dynamic" && /(^|\/)\.{0,2}$/.test(shown(word)) && shown(word) !== "";
}

/** True where a path of this word does not depend on the working folder. */
export function isAbsolute(word: Word): boolean {
  return headOf(word).startsWith("/");
}

/** The word as a glob pattern; empty where it is not known. */
export function patternOf(word: Word): string {
  return word.kind === "glob" ? word.pattern : word.kind === "literal" ? escapeGlob(word.value) : "";
}

function unescapeGlob(pattern: string): string {
  return pattern.replace(/\\(.)/gs, "$1");
}
