import type { Scope } from "../model/scope.ts";

/**
 * The folders that a session has at `now`: its own, of each the grant that came last, and those granted always where it has no own grant of the same folder. The workspace
 * stays first.
 */
export function liveScopes(own: readonly Scope[], standing: readonly Scope[], now: Date): readonly Scope[] {
  const mine = new Map(own.filter((scope) => isLive(scope, now)).map((scope) => [scope.root, scope]));
  return [...mine.values(), ...standing.filter((scope) => isLive(scope, now) && !mine.has(scope.root))];
}

/** True until it expires. */
export function isLive({ expiresAt }: Scope, now: Date): boolean {
  return expiresAt === undefined || expiresAt > now;
}
