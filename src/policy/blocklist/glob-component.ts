import { matchesComponent as componentHolds, parseComponent } from "../rules/component.ts";

/** True where a shell pattern for one path component (`*`, `?`, brackets, backslashes) may match a name. */
export function matchesComponent(pattern: string, name: string): boolean {
  return componentMatcher(pattern)(name);
}

/** The test of matchesComponent for many names. */
export function componentMatcher(pattern: string): (name: string) => boolean {
  const component = parseComponent(pattern);
  return (name) => componentHolds(component, name);
}

/** True where a component matches most names: stars, question marks and brackets, perhaps behind one dot. */
export function matchesMost(component: string): boolean {
  if (!component.includes("*")) return false;
  const rest = component.replace(/\[(?:\\.|[^\]\\])*\]/g, "").replace(/[*?]/g, "");
  return rest === "" || rest === ".";
}

/** True where a component holds a live glob character. */
export function isPattern(component: string): boolean {
  return /(^|[^\\])(\\\\)*[*?[]/.test(component);
}

/** The text that a component without live glob characters stands for. */
export function plainComponent(component: string): string {
  return component.replace(/\\(.)/gs, "$1");
}
