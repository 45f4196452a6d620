import type { OpaqueCause, OpaqueEffect, PathEffect, RunEffect } from "../../src/model/effect.ts";
import type { Rule } from "../../src/model/rule.ts";
import type { Tier } from "../../src/model/subject.ts";
import type { Blocked, DecideWorld } from "../../src/policy/decide.ts";
import { decide } from "../../src/policy/decide.ts";
import { indexRules } from "../../src/policy/rules/rule-index.ts";
import type { Effect } from "../../src/model/effect.ts";
import type { Scope } from "../../src/model/scope.ts";
import { path, workspaceScope } from "./world.ts";

/** A run of plain words. */
export function run(text: string, change: Partial<RunEffect> = {}): RunEffect {
  const argv = text.split(" ");
  return { kind: "run", program: argv[0] ?? "", argv, text, ...change };
}

export function touch(kind: PathEffect["kind"], text: string, exact = true): PathEffect {
  return { kind, path: path(text), exact };
}

export function opaque(text: string, cause: OpaqueCause): OpaqueEffect {
  return { kind: "opaque", text, why: `cannot see into ${text}`, cause };
}

export interface DecideSetup {
  readonly rules?: readonly Rule[];
  readonly scopes?: readonly Scope[];
  readonly tier?: Tier;
  readonly own?: readonly string[];
  readonly byFileService?: boolean;
  readonly blocked?: readonly Blocked[];
}

/** Decides with /work granted and home at /home/u. */
export function judged(effects: readonly Effect[], setup: DecideSetup = {}) {
  const world: DecideWorld = {
    rules: [indexRules(setup.rules ?? [], { home: path("/home/u"), workspace: path("/work"), real: (same) => same })],
    scopes: setup.scopes ?? [workspaceScope],
    tier: setup.tier ?? "full",
    own: (setup.own ?? []).map(path),
    byFileService: setup.byFileService ?? false,
  };
  return decide(effects, setup.blocked ?? [], world);
}
