import { type AbsolutePath, parentOf, parseAbsolutePath } from "../../model/absolute-path.ts";
import type { PathEffect } from "../../model/effect.ts";
import { expandBraces } from "./brace-expansion.ts";
import { pathTextFault } from "./path-text-fault.ts";
import { type PatternWorld, rootPattern } from "./root-pattern.ts";
import { type Component, componentCovers, componentsMeet, parseComponent } from "./component.ts";

/** Paths by components: a file pattern of a rule, or the paths that an effect may touch. */
export interface PathShape {
  /** The literal components before the first wildcard, as a path. */
  readonly fixed: AbsolutePath;
  readonly components: readonly Component[];
}

/** Most components of a pattern, and most of its `**`: together they bound what one match costs. */
const maxComponents = 256;
const maxRests = 8;

/**
 * Reads a file pattern: `*` stays in one component, `**` crosses, braces and classes; `~` and `$HOME` are the home folder, anything else relative belongs to
 * the workspace; an alternative without wildcards also stands for everything below it.
 * @throws RangeError with the reason where the pattern is refused.
 */
export function parsePathPattern(text: string, world: PatternWorld): PathShape[] {
  const fault = pathTextFault(text);
  if (fault !== undefined) throw new RangeError(fault);
  const shapes: PathShape[] = [];
  for (const alternative of expandBraces(text)) {
    const rooted = rootPattern(alternative, world);
    if (rooted === undefined) continue;
    shapes.push(shapeOf(rooted));
    // A folder may be called `project[1]`: the same text read without classes, with what is below it.
    if (/\[/.test(rooted) && !/[*?]/.test(rooted))
      shapes.push(shapeOf(rooted.replaceAll(/(?<!\\)[[\]]/g, String.raw`\$&`)));
  }
  return shapes;
}

/** The shape of what an effect touches: one path, a pattern with live glob characters, or a subtree. */
export function effectShape(path: AbsolutePath, exact: boolean): PathShape {
  if (exact)
    return {
      fixed: path,
      components: path
        .split("/")
        .slice(1)
        .filter((part) => part !== "")
        .map(literal),
    };
  return shapeOf(path);
}

/** The part of an effect's path before its first wildcard. */
export function fixedPart({ path, exact }: Pick<PathEffect, "path" | "exact">): AbsolutePath {
  const first = exact ? -1 : path.search(/[*?[\\]/);
  if (first < 0) return path;
  // A bracket may be closed by nothing, and a backslash takes the meaning of what follows: then it must be read in full.
  return path[first] === "*" || path[first] === "?"
    ? parentOf(path.slice(0, first) as AbsolutePath)
    : shapeOf(path).fixed;
}

/** A folder with everything below it. */
export function subtreeShape(folder: AbsolutePath): PathShape {
  const { fixed, components } = effectShape(folder, true);
  return { fixed, components: [...components, { kind: "rest" }] };
}

/** True where the two may have a path in common. */
export function shapesMeet(a: PathShape, b: PathShape): boolean {
  if (!hasRest(b.components)) return fits(a.components, b.components, componentsMeet);
  if (!hasRest(a.components)) return fits(b.components, a.components, componentsMeet);
  return meet(a.components, b.components);
}

/** True where every path of `inner` is certainly one of `outer`. */
export function shapeCovers(outer: PathShape, inner: PathShape): boolean {
  return fits(outer.components, inner.components, componentCovers);
}

function hasRest(components: readonly Component[]): boolean {
  return components.some((component) => component.kind === "rest");
}

/** The shape moved to another fixed part, such as the real place of a linked folder. */
export function moveShape(shape: PathShape, fixed: AbsolutePath): PathShape {
  const depth = shape.fixed === "/" ? 0 : shape.fixed.split("/").length - 1;
  return { fixed, components: [...effectShape(fixed, true).components, ...shape.components.slice(depth)] };
}

function literal(text: string): Component {
  return { kind: "literal", text };
}

/** An alternative without wildcards also stands for everything below it. */
function shapeOf(text: string): PathShape {
  const components: Component[] = [];
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") components.pop();
    else if (part !== "**" || components.at(-1)?.kind !== "rest") components.push(parseComponent(part));
  }
  if (!components.some((component) => component.kind !== "literal")) components.push({ kind: "rest" });
  if (components.length > maxComponents) throw new RangeError(`a pattern has at most ${maxComponents} components`);
  if (components.filter((component) => component.kind === "rest").length > maxRests)
    throw new RangeError(`a pattern has at most ${maxRests} times **`);
  return { fixed: literalStart(components), components };
}

function literalStart(components: readonly Component[]): AbsolutePath {
  const parts: string[] = [];
  for (const component of components) {
    if (component.kind !== "literal") break;
    parts.push(component.text);
  }
  const path = parseAbsolutePath(`/${parts.join("/")}`);
  if (path === undefined) throw new RangeError("a pattern is too long for a path");
  return path;
}

type Compare = (a: Component, b: Component) => boolean;

/**
 * Whether a pattern fits components one by one: only its own `**` swallow some of them, and for each the leftmost place of what follows is always the best one. Compared
 * at most once for each pair of both lists.
 */
function fits(pattern: readonly Component[], components: readonly Component[], compare: Compare): boolean {
  let at = 0;
  let index = 0;
  let swallower = -1;
  let from = 0;
  while (index < components.length) {
    const mine = pattern[at];
    const other = components[index];
    if (mine?.kind === "rest") {
      swallower = at;
      from = index;
      at += 1;
    } else if (mine !== undefined && other !== undefined && other.kind !== "rest" && compare(mine, other)) {
      at += 1;
      index += 1;
    } else if (swallower >= 0) {
      from += 1;
      at = swallower + 1;
      index = from;
    } else return false;
  }
  while (pattern[at]?.kind === "rest") at += 1;
  return at === pattern.length;
}

/** Whether two patterns that both have a `**` may mean the same path: a table over both lists, because each may swallow components of the other. */
function meet(a: readonly Component[], b: readonly Component[]): boolean {
  let row: boolean[] = [true];
  for (const other of b) row.push(other.kind === "rest" && row[row.length - 1] === true);
  for (const mine of a) {
    const next: boolean[] = [mine.kind === "rest" && row[0] === true];
    for (const [at, other] of b.entries()) {
      const swallow = mine.kind === "rest" && (row[at + 1] === true || next[at] === true);
      const swallowed = other.kind === "rest" && (next[at] === true || row[at + 1] === true);
      const pair = row[at] === true && mine.kind !== "rest" && other.kind !== "rest" && componentsMeet(mine, other);
      next.push(swallow || swallowed || pair);
    }
    row = next;
  }
  return row[b.length] === true;
}
