import { type AbsolutePath, parseAbsolutePath, rootPath } from "../model/absolute-path.ts";
import type { PathEffect } from "../model/effect.ts";
import { exhausted } from "../model/exhausted.ts";
import type { Rule } from "../model/rule.ts";
import { type GuardedKind, type GuardedName, gitNames, homeNames, projectNames } from "./guarded-names.ts";
import { hardcodedRule } from "./hardcoded-rule.ts";
import { type Component, componentsMeet, matchesComponent } from "./rules/component.ts";
import { effectShape, parsePathPattern, type PathShape, shapeCovers, shapesMeet } from "./rules/path-pattern.ts";

interface Protected {
  readonly rule: Rule;
  readonly shapes: readonly PathShape[];
  /** `git` itself writes there all the time: only the file service asks. */
  readonly filesOnly: boolean;
}

interface Guarded {
  readonly mine: PathShape;
  readonly entry: Protected;
}

/** Shapes that all begin with `**` and one name or pattern of a name: only a path that holds such a name can be one of theirs. */
interface Guards {
  readonly byName: ReadonlyMap<string, readonly Guarded[]>;
  readonly byPattern: readonly { readonly key: Component; readonly guarded: Guarded }[];
}

/** What another program runs or obeys when it is written, so that a write is more than a write. Lower case: names are compared without case. */
const table: readonly Protected[] = [
  entry("git", true, "the repository's own folder is git's to write", ["**/.git"]),
  entry("hooks", false, "git and the tools around it run what this file says", [
    ...guarded("hooks"),
    "**/.gitmodules",
    "**/.lintstagedrc*",
  ]),
  entry("agents", false, "agents take their orders and permissions from this file", [
    ...guarded("agents"),
    "**/{agents,claude,gemini,agent}{,.local,.override}.md",
    "**/.github/{copilot-instructions.md,agents/**,prompts/**,instructions/**}",
  ]),
  entry("ignores", false, "this file decides what tools leave out", ["**/.*ignore", "**/.git/info/exclude"]),
  entry("editors", false, "an editor or a shell runs what this file says when the folder is opened", [
    ...guarded("editors"),
    "**/*.code-workspace",
  ]),
  entry("shells", false, "shells, git or a login run what this file says", guarded("shells")),
];

const guards = guardsOf(table);

/** Patterns of the names that sandboxes show read-only: what is asked for here is released there by the answer. */
function guarded(kind: GuardedKind): string[] {
  const own = (names: readonly GuardedName[]): string[] =>
    names.filter((each) => each.kind === kind).map(({ name }) => name);
  const git = own(gitNames).flatMap((name) => [`.git/${name}`, `.git/{modules,worktrees}/**/${name}`]);
  return [...own(projectNames), ...own(homeNames), ...git].map((name) => `**/${name}`);
}

/** The rules that make a write or a delete of this path ask in every mode. */
export function protectedBy(effect: PathEffect, byFileService: boolean): Rule[] {
  if (effect.kind === "read") return [];
  const found = new Set<Protected>();
  for (const path of effect.spelled === undefined ? [effect.path] : [effect.path, effect.spelled]) {
    const its = effectShape(lowerCase(path), effect.exact);
    for (const component of its.components)
      for (const { mine, entry } of guardedAt(component))
        if (!found.has(entry) && (byFileService || !entry.filesOnly) && hits(mine, its)) found.add(entry);
  }
  return found.size === 0 ? [] : table.filter((entry) => found.has(entry)).map(({ rule }) => rule);
}

/** What may be protected because of one component of a path or pattern. */
function guardedAt(component: Component): readonly Guarded[] {
  // A subtree is only judged by what is written before its `**`.
  if (component.kind === "rest") return [];
  const named =
    component.kind === "literal"
      ? guards.byName.get(component.text)
      : [...guards.byName].flatMap(([name, guarded]) => (matchesComponent(component, name) ? guarded : []));
  // The shell's wildcards do not take a dot at the start of a name: `*.log` is no `.lintstagedrc.log`.
  const patterned = guards.byPattern.flatMap(({ key, guarded }) =>
    startsWithDot(key) && !startsWithDot(component) ? [] : componentsMeet(key, component) ? [guarded] : [],
  );
  return patterned.length === 0 ? (named ?? []) : [...(named ?? []), ...patterned];
}

/** True where the names that a component stands for may begin with a dot. */
function startsWithDot(component: Component): boolean {
  switch (component.kind) {
    case "literal":
      return component.text.startsWith(".");
    case "glob": {
      const [first] = component.tokens;
      return first?.kind === "char" && first.char === ".";
    }
    case "rest":
      return true;
    default:
      return exhausted(component);
  }
}

function guardsOf(entries: readonly Protected[]): Guards {
  const byName = new Map<string, Guarded[]>();
  const byPattern: { key: Component; guarded: Guarded }[] = [];
  for (const each of entries)
    for (const mine of each.shapes) {
      const [first, key] = mine.components;
      if (first?.kind !== "rest" || key === undefined) throw new Error(`${each.rule.id} must begin with ** and a name`);
      const guarded: Guarded = { mine, entry: each };
      if (key.kind !== "literal") byPattern.push({ key, guarded });
      else byName.set(key.text, [...(byName.get(key.text) ?? []), guarded]);
    }
  return { byName, byPattern };
}

/** A whole subtree above a protected file is judged as the subtree it is; everything narrower must not even meet it. */
function hits(mine: PathShape, its: PathShape): boolean {
  return its.components.some((component) => component.kind === "rest") ? shapeCovers(mine, its) : shapesMeet(mine, its);
}

function entry(id: string, filesOnly: boolean, because: string, patterns: readonly string[]): Protected {
  const world = { home: rootPath, workspace: rootPath };
  // What a folder holds is protected with it.
  const shapes = patterns.flatMap((pattern) => parsePathPattern(`{${pattern},${pattern}/**}`, world));
  return { rule: hardcodedRule(`invariant.${id}`, "fs_write", "ask", because, patterns), shapes, filesOnly };
}

function lowerCase(path: AbsolutePath): AbsolutePath {
  return parseAbsolutePath(path.toLowerCase()) ?? path;
}
