import { matchesComponent, parseComponent } from "../rules/component.ts";

/** Tests names against a shell pattern for one path component (`*`, `?`, brackets, backslashes), which is read once for all of them. */
export function componentMatcher(pattern: string): (name: string) => boolean {
  const component = parseComponent(pattern);
  return (name) => matchesComponent(component, name);
}

/** True where a component matches most names: stars, question marks and brackets, perhaps behind one dot. */
export function matchesMost(component: string): boolean {
  const read = parseComponent(component);
  if (read.kind !== "glob") return read.kind === "rest";
  const [first] = read.tokens;
  const tokens = first?.kind === "char" && first.char === "." ? read.tokens.slice(1) : read.tokens;
  return tokens.some(({ kind }) => kind === "many") && tokens.every(({ kind }) => kind !== "char");
}

/** True where a component holds a live glob character. */
export function isPattern(component: string): boolean {
  return /(^|[^\\])(\\\\)*[*?[]/.test(component);
}

/** The text that a component without live glob characters stands for. */
export function plainComponent(component: string): string {
  return component.replace(/\\(.)/gs, "$1");
}
