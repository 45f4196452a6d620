import { type AbsolutePath, isInside } from "../model/absolute-path.ts";
import type { Scope } from "../model/scope.ts";

/** The scope with the longest root that holds `path`; of two with the same root the read-only one. Undefined: outside all of them. */
export function nearestScope(path: AbsolutePath, scopes: readonly Scope[]): Scope | undefined {
  let found: Scope | undefined;
  for (const scope of scopes) {
    if (!isInside(scope.root, path)) continue;
    if (found === undefined || scope.root.length > found.root.length) found = scope;
    else if (scope.root === found.root && scope.access === "ro") found = scope;
  }
  return found;
}

/** The scopes that hold at `now`. */
export function liveScopes(scopes: readonly Scope[], now: Date): readonly Scope[] {
  return scopes.filter((scope) => scope.expiresAt === undefined || scope.expiresAt > now);
}
