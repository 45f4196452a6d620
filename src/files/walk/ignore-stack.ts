import { constants, fstatSync, openSync, closeSync, readSync } from "node:fs";
import { baseName, parentOf, type AbsolutePath } from "../../model/absolute-path.ts";
import type { EntryVerdict } from "../../model/gate-ports.ts";
import { Problem } from "../../model/problem.ts";
import { type IgnoreRules, parseIgnoreRules } from "../globs/ignore-rules.ts";
import { pathIn, withJudged } from "../judged-path.ts";

/** The later ones win (ripgrep's order). */
const fileNames = [".gitignore", ".ignore"];
const repository = ".git";
const maxBytes = 262_144;
const maxLines = 5000;

/** What the ignore files of a folder and of those above it say. */
export interface IgnoreStack {
  /** Whether an entry of the folder is left out. */
  readonly ignores: (name: string, isFolder: boolean) => boolean;
  /** The stack for a folder in it, with that folder's own files. */
  readonly enter: (name: string) => IgnoreStack;
}

/**
 * Reads the ignore files of a folder, and of those above it up to the top of its repository. A file that may not be read counts as none. What they say of a folder that was asked for
 * itself does not count.
 * @throws Problem `resource_exhausted` for one that is too large
 */
export function ignoreStackAt(root: AbsolutePath, verdict: EntryVerdict): IgnoreStack {
  const { levels, names } = rulesAbove(root, verdict);
  return stackOf([...levels, rulesIn(root, verdict)], names);

  function stackOf(rules: readonly (readonly IgnoreRules[])[], way: readonly string[]): IgnoreStack {
    return {
      ignores: (name, isFolder) => name === repository || verdictOf(rules, [...way, name], isFolder) === "ignored",
      enter: (name) => {
        const folder = [...way.slice(names.length), name].reduce<AbsolutePath>(
          (path, part) => pathIn(path, part),
          root,
        );
        return stackOf([...rules, rulesIn(folder, verdict)], [...way, name]);
      },
    };
  }
}

/** Whether the ignore files above a folder leave out an entry below it or a folder on the way to it. For who reads those inside the folder himself. */
export function ignoredFromAbove(
  root: AbsolutePath,
  verdict: EntryVerdict,
): (components: readonly string[], isFolder: boolean) => boolean {
  const { levels, names } = rulesAbove(root, verdict);
  if (levels.every((rules) => rules.length === 0)) return () => false;
  return (components, isFolder) =>
    components.some((_, at) => {
      const way = [...names, ...components.slice(0, at + 1)];
      return verdictOf(levels, way, isFolder || at + 1 < components.length) === "ignored";
    });
}

interface RulesAbove {
  /** For each folder above, the highest first. */
  readonly levels: readonly (readonly IgnoreRules[])[];
  /** The way from the highest of them down. */
  readonly names: readonly string[];
}

function rulesAbove(root: AbsolutePath, verdict: EntryVerdict): RulesAbove {
  const levels: IgnoreRules[][] = [];
  const names: string[] = [];
  for (let folder = root; folder !== "/" && !isTop(folder);) {
    names.unshift(baseName(folder));
    folder = parentOf(folder);
    if (verdict(pathIn(folder, ".gitignore")) !== "allow") {
      names.shift();
      break;
    }
    levels.unshift(rulesIn(folder, verdict));
  }
  return { levels, names };
}

/** The nearest file that names the entry speaks. */
function verdictOf(
  levels: readonly (readonly IgnoreRules[])[],
  components: readonly string[],
  isFolder: boolean,
): ReturnType<IgnoreRules["verdict"]> {
  for (let level = levels.length - 1; level >= 0; level -= 1)
    for (const rules of levels[level] ?? []) {
      const found = rules.verdict(components.slice(level), isFolder);
      if (found !== undefined) return found;
    }
  return undefined;
}

function isTop(folder: AbsolutePath): boolean {
  return attempt(() => withJudged(pathIn(folder, repository), () => true)) ?? false;
}

/** The rules of a folder's own files, the strongest first. */
function rulesIn(folder: AbsolutePath, verdict: EntryVerdict): IgnoreRules[] {
  return fileNames.toReversed().flatMap((name) => {
    const path = pathIn(folder, name);
    const text = verdict(path) === "allow" ? attempt(() => textOf(path)) : undefined;
    if (text === undefined) return [];
    const rules = parseIgnoreRules(text);
    if (rules.count > maxLines) throw tooLarge(path);
    return rules.count === 0 ? [] : [rules];
  });
}

function textOf(path: AbsolutePath): string | undefined {
  return withJudged(path, ({ stats, way }) => {
    if (!stats.isFile()) return undefined;
    const fd = openSync(way, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (fstatSync(fd).size > maxBytes) throw tooLarge(path);
      const buffer = Buffer.alloc(maxBytes);
      return buffer.toString("utf8", 0, readSync(fd, buffer, 0, maxBytes, 0));
    } finally {
      closeSync(fd);
    }
  });
}

function tooLarge(path: AbsolutePath): Problem {
  return new Problem("resource_exhausted", `${path}: more than ${maxLines} lines or ${maxBytes} bytes`, {
    field: "path",
  });
}

/** Undefined where it is not there, is no longer what it was, or cannot be read. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Problem && error.code !== "resource_exhausted") return undefined;
    throw error;
  }
}
