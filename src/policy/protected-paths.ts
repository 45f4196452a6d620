import { type AbsolutePath, parseAbsolutePath, rootPath } from "../model/absolute-path.ts";
import type { PathEffect } from "../model/effect.ts";
import type { Rule } from "../model/rule.ts";
import { hardcodedRule } from "./hardcoded-rule.ts";
import { effectShape, parsePathPattern, type PathShape, shapeCovers, shapesMeet } from "./rules/path-pattern.ts";

interface Protected {
  readonly rule: Rule;
  readonly shapes: readonly PathShape[];
  /** `git` itself writes there all the time: only the file service asks. */
  readonly filesOnly: boolean;
}

/** What another program runs or obeys when it is written, so that a write is more than a write. Lower case: names are compared without case. */
const table: readonly Protected[] = [
  entry("git", true, "the repository's own folder is git's to write", ["**/.git"]),
  entry("hooks", false, "git and the tools around it run what this file says", [
    "**/.git/{hooks/**,config,config.worktree,info/attributes}",
    "**/.git/modules/**/{hooks/**,config}",
    "**/{.githooks,.husky}/**",
    "**/.pre-commit-config.{yaml,yml}",
    "**/{,.}lefthook{,-local}.{yml,yaml,toml,json}",
    "**/.gitmodules",
    "**/.lintstagedrc*",
  ]),
  entry("agents", false, "agents take their orders and permissions from this file", [
    "**/.{claude,codex,cursor,gemini,kiro,agents,agent,windsurf,continue,roo,cline,aider,opencode,goose,sallyport}/**",
    "**/{agents,claude,gemini,agent}{,.local,.override}.md",
    "**/{,.}mcp.json",
    "**/.{cursorrules,windsurfrules,clinerules,goosehints}",
    "**/.github/{copilot-instructions.md,agents/**,prompts/**,instructions/**}",
    "**/.aider.conf.yml",
  ]),
  entry("ignores", false, "this file decides what tools leave out", ["**/.*ignore", "**/.git/info/exclude"]),
  entry("editors", false, "an editor or a shell runs what this file says when the folder is opened", [
    "**/.vscode/{tasks,launch,settings,mcp}.json",
    "**/*.code-workspace",
    "**/.idea/**",
    "**/.envrc",
    "**/.devcontainer/**",
    "**/.devcontainer.json",
  ]),
];

/** The rules that make a write or a delete of this path ask in every mode. */
export function protectedBy(effect: PathEffect, byFileService: boolean): Rule[] {
  if (effect.kind === "read") return [];
  const shapes = [effect.path, ...(effect.spelled === undefined ? [] : [effect.spelled])].map((path) =>
    effectShape(lowerCase(path), effect.exact),
  );
  return table
    .filter(
      (each) => (byFileService || !each.filesOnly) && each.shapes.some((mine) => shapes.some((its) => hits(mine, its))),
    )
    .map((each) => each.rule);
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
