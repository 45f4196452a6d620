/**
 * Compiles a shell pattern for one path component: `*`, `?`, brackets, backslashes. The regular expression has no nested repetition; runs
 * of stars count as one.
 */
export function compileComponent(pattern: string): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? "";
    if (character === "\\") {
      at += 1;
      source += quoted(pattern[at] ?? "\\");
    } else if (character === "*") {
      if (!source.endsWith("[^/]*")) source += "[^/]*";
    } else if (character === "?") source += "[^/]";
    else if (character === "[") {
      const close = closing(pattern, at);
      if (close < 0) source += quoted("[");
      else {
        source += bracket(pattern.slice(at + 1, close));
        at = close;
      }
    } else source += quoted(character);
  }
  return new RegExp(`^${source}$`, "s");
}

/** True where a component matches most names: stars, question marks and brackets, perhaps behind one dot. */
export function matchesMost(component: string): boolean {
  if (!/[*]/.test(component)) return false;
  const rest = component.replace(/\[(?:\\.|[^\]\\])*\]/g, "").replace(/[*?]/g, "");
  return rest === "" || rest === ".";
}

/** True where a component holds a live glob character. */
export function isPattern(component: string): boolean {
  return /(^|[^\\])(\\\\)*([*?]|\[)/.test(component);
}

/** The text that a component without live glob characters stands for. */
export function plainComponent(component: string): string {
  return component.replace(/\\(.)/gs, "$1");
}

function closing(pattern: string, open: number): number {
  let at = open + 1;
  if (pattern[at] === "!" || pattern[at] === "^") at += 1;
  if (pattern[at] === "]") at += 1;
  for (; at < pattern.length; at += 1) {
    if (pattern[at] === "\\") at += 1;
    else if (pattern[at] === "[" && pattern[at + 1] === ":") at = Math.max(at, pattern.indexOf(":]", at + 2) + 1);
    else if (pattern[at] === "]") return at;
  }
  return -1;
}

/** A bracket that is too odd for a regular expression counts as any character. */
function bracket(inside: string): string {
  if (inside.includes("[")) return "[^/]";
  const negated = /^[!^]/.test(inside);
  const members = (negated ? inside.slice(1) : inside).replace(/[\\\]^]/g, "\\$&");
  const source = `[${negated ? "^" : ""}${members}]`;
  return compiles(source) ? source : "[^/]";
}

function compiles(source: string): boolean {
  try {
    return new RegExp(source).source !== "";
  } catch {
    return false;
  }
}

function quoted(character: string): string {
  return character.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
