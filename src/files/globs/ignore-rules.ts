import { matchesPath, type PathGlob, parsePathGlob } from "./path-glob.ts";

/** One line of an ignore file (gitignore(5)). */
interface IgnoreRule {
  readonly glob: PathGlob;
  /** A line that begins with `!`: what it names is not ignored. */
  readonly kept: boolean;
  readonly foldersOnly: boolean;
}

/** What an ignore file says of the entries below its folder. */
export interface IgnoreRules {
  /** `ignored`, `kept`, or undefined where no line names it. The last line that does speaks. */
  readonly verdict: (components: readonly string[], isFolder: boolean) => "ignored" | "kept" | undefined;
  readonly count: number;
}

/** Reads an ignore file's text. A line that names nothing, such as one with a class that is not closed, counts as none, as in git. */
export function parseIgnoreRules(text: string): IgnoreRules {
  const rules = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .flatMap((line) => parseLine(line.replace(/\r$/, "")) ?? [])
    .toReversed();
  return {
    count: rules.length,
    verdict(components, isFolder) {
      const found = rules.find((rule) => (isFolder || !rule.foldersOnly) && matchesPath(rule.glob, components));
      if (found === undefined) return undefined;
      return found.kept ? "kept" : "ignored";
    },
  };
}

function parseLine(line: string): IgnoreRule | undefined {
  if (line.startsWith("#")) return undefined;
  const kept = line.startsWith("!");
  const text = withoutTrailingBlanks(kept ? line.slice(1) : line);
  const foldersOnly = text.endsWith("/");
  const pattern = foldersOnly ? text.slice(0, -1) : text;
  if (pattern === "") return undefined;
  // A slash at the beginning or in the middle ties it to the file's own folder.
  const tied = pattern.includes("/");
  const glob = parsePathGlob(pattern.replace(/^\//, ""));
  return glob === undefined ? undefined : { glob: tied ? glob : ["rest", ...glob], kept, foldersOnly };
}

/** Blanks at the end do not count, unless a backslash stands before them. */
function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (text[end - 1] === " " && !isEscaped(text, end - 1)) end -= 1;
  return text.slice(0, end);
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
