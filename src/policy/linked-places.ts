import { type AbsolutePath, isInside, parentOf, parseAbsolutePath } from "../model/absolute-path.ts";
import type { Facts } from "../model/facts.ts";
import { matchesComponent, parseComponent } from "./rules/component.ts";
import { escapeGlob } from "./rules/escape-glob.ts";

/** A place behind a link: a path, or a pattern where wildcards are left. */
export interface LinkedPlace {
  readonly path: AbsolutePath;
  readonly exact: boolean;
}

/** What is looked at. */
export interface LookWorld {
  readonly facts: Facts;
  /** The granted folders. */
  readonly roots: readonly AbsolutePath[];
}

/** Entries looked at for one pattern at most, links followed for one pattern at most. */
const mostEntries = 4096;
const mostPlaces = 64;

/** A pattern stands for more than can be looked at. */
export class TooManyPlaces extends Error {}

/**
 * Where the symbolic links lead that a pattern's wildcards stand for: a shell takes a link for any other name. `components` come after `folder`, which is a real
 * path; each is a pattern. What is below `**` is not looked at: whoever walks a tree does not follow the links in it, unless told so. Nor is what lies outside
 * the granted folders, which no sandbox holds: its names are not the caller's business.
 *
 * `.*` also stands for `..`: bash before 5.2 takes it so.
 * @throws TooManyPlaces; what Facts throw.
 */
export function linkedPlaces(
  folder: AbsolutePath,
  components: readonly string[],
  { facts, roots }: LookWorld,
): LinkedPlace[] {
  const places = new Map<string, LinkedPlace>();
  let left = mostEntries;

  /** Granted, or on the way there. */
  function isInSight(path: AbsolutePath): boolean {
    return roots.some((root) => isInside(root, path) || isInside(path, root));
  }

  function arrive(at: AbsolutePath, rest: readonly string[]): void {
    const exact = rest.every((part) => parseComponent(part).kind === "literal");
    const tail = rest.map((part) => `/${exact ? literalOf(part) : part}`).join("");
    const path = parseAbsolutePath(`${exact ? at : escapeGlob(at)}${tail}`);
    if (path === undefined) throw new RangeError("the resolved path is too long");
    if (places.has(path)) return;
    if (places.size >= mostPlaces) throw new TooManyPlaces(`it stands for more than ${mostPlaces} links`);
    places.set(path, { path, exact });
    walk(at, rest);
  }

  function step(at: AbsolutePath, name: string, rest: readonly string[]): void {
    const next = parseAbsolutePath(`${at}/${name}`);
    if (next === undefined) throw new RangeError("the path is too long");
    if (!isInSight(next)) return;
    const { real, kind } = facts.locate(next);
    if (real !== next) arrive(real, rest);
    else if (kind === "folder") walk(next, rest);
  }

  function walk(at: AbsolutePath, parts: readonly string[]): void {
    const [part, ...rest] = parts;
    if (part === undefined || !isInSight(at)) return;
    const component = parseComponent(part);
    // Without globstar `**` is a star; as the last component it is a tree.
    if (component.kind === "rest" && rest.length === 0) return;
    if (component.kind === "literal") return step(at, component.text, rest);
    if (part.startsWith(".") && matchesComponent(component, "..")) arrive(parentOf(at), rest);
    const entries = facts.entries(at, left);
    if (entries === undefined) throw new TooManyPlaces(`it stands for more than ${mostEntries} files`);
    left -= entries.length;
    for (const { name, kind } of entries) {
      if (kind === "other" || (kind === "folder" && rest.length === 0)) continue;
      if (matchesComponent(component, name)) step(at, name, rest);
    }
  }

  walk(folder, components);
  return [...places.values()];
}

function literalOf(part: string): string {
  const component = parseComponent(part);
  return component.kind === "literal" ? component.text : part;
}
