import type { Word } from "../simple-command.ts";
import type { Collector } from "./collector.ts";
import { literal, textOf, withoutSlashes } from "./words.ts";

/** The repository that a git command works on, by its words alone: the folder above that holds `.git` is not looked for. */
export interface Repo {
  /** Where relative paths start: the working folder after all -C. */
  readonly at: Collector;
  readonly gitDir: Word;
  readonly workTree: Word;
}

/** The repository's own data change: objects, refs, index, configuration. */
export function changeData(repo: Repo): void {
  repo.at.writeTree(repo.gitDir);
}

/** Any file of the working tree may change, and the data with it. */
export function changeTree(repo: Repo): void {
  repo.at.writeTree(repo.workTree);
  if (textOf(repo.gitDir) !== ".git" || textOf(repo.workTree) !== ".") changeData(repo);
}

/** The repository's data are read. */
export function readData(repo: Repo): void {
  repo.at.readTree(repo.gitDir);
}

/** Any file of the working tree may be read. */
export function readWorkTree(repo: Repo): void {
  repo.at.readTree(repo.workTree);
}

/** What a pathspec (gitglossary(7)) stands for: a path, or the whole tree where it has magic or names a folder by its end. */
export function pathspec(word: Word, repo: Repo): { readonly word: Word; readonly whole: boolean } {
  const text = textOf(word) ?? "";
  if (text.startsWith(":")) return { word: repo.workTree, whole: true };
  const bare = withoutSlashes(text);
  if (word.kind === "literal" && (bare === "" || /(^|\/)\.{1,2}$/.test(bare) || bare !== text))
    return { word: literal(text), whole: true };
  // Git itself expands glob characters, and its `*` crosses slashes.
  if (word.kind === "literal" && /[*?[]/.test(text)) return { word: repo.workTree, whole: true };
  return { word, whole: false };
}
