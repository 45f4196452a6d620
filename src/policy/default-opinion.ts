import { type AbsolutePath, isInside, parentOf } from "../model/absolute-path.ts";
import type { Effect, PathEffect } from "../model/effect.ts";
import { exhausted } from "../model/exhausted.ts";
import type { Scope } from "../model/scope.ts";
import { nearestScope } from "./nearest-scope.ts";
import type { Opinion } from "./opinion.ts";
import { fixedPart } from "./rules/path-pattern.ts";

/** What holds where no rule speaks: reads and writes inside a granted folder and read-only commands pass, everything else asks. */
export function defaultOpinion(effect: Effect, scopes: readonly Scope[]): Opinion {
  switch (effect.kind) {
    case "read":
    case "write":
    case "delete":
      return scopeOpinion(effect, scopes);
    case "run":
      return effect.readOnly === true
        ? { verdict: "allow", rules: [], because: "a command that only reads", firm: false }
        : ask("no rule allows this command");
    case "reach":
      return ask("no rule allows this host");
    case "use":
      return ask(`no rule allows this ${effect.capability}`);
    case "opaque":
      return ask(effect.why);
    default:
      return exhausted(effect);
  }
}

/** A read-only folder holds against allow rules and modes, too: it is mounted so. Only a person lifts that, for one request. Undefined where the effect is no write into one. */
export function readOnlyScopeOpinion(effect: PathEffect, scopes: readonly Scope[]): Opinion | undefined {
  if (effect.kind === "read") return undefined;
  const fixed = fixedPart(effect);
  const scope = nearestScope(fixed, scopes);
  const blocking = scope?.access === "ro" ? scope : effect.exact ? undefined : readOnlyBelow(fixed, scopes);
  return blocking === undefined
    ? undefined
    : {
        verdict: "ask",
        rules: [],
        scope: blocking,
        because: `${blocking.root} is granted for reading only`,
        firm: true,
      };
}

function scopeOpinion(effect: PathEffect, scopes: readonly Scope[]): Opinion {
  const fixed = fixedPart(effect);
  const scope = nearestScope(fixed, scopes);
  if (scope === undefined) {
    const folder = effect.exact ? parentOf(effect.path) : fixed;
    return ask(`${folder} is outside the granted folders`);
  }
  if (effect.kind === "read")
    return { verdict: "allow", rules: [], scope, because: `inside the granted folder ${scope.root}`, firm: false };
  if (effect.kind === "delete")
    return { verdict: "ask", rules: [], scope, because: "no rule allows deleting it", firm: false };
  return { verdict: "allow", rules: [], scope, because: `inside the granted folder ${scope.root}`, firm: false };
}

function readOnlyBelow(root: AbsolutePath, scopes: readonly Scope[]): Scope | undefined {
  return scopes.find((scope) => scope.access === "ro" && isInside(root, scope.root));
}

function ask(because: string): Opinion {
  return { verdict: "ask", rules: [], because, firm: false };
}
