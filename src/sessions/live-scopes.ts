import type { Scope } from "../model/scope.ts";

/** The folders that a session has at `now`: its own, and those granted always where it has no own grant of the same folder. The workspace stays first. */
export function liveScopes(own: readonly Scope[], standing: readonly Scope[], now: Date): readonly Scope[] {
  const mine = own.filter((scope) => isLive(scope, now));
  const roots = new Set(mine.map(({ root }) => root));
  return [...mine, ...standing.filter((scope) => isLive(scope, now) && !roots.has(scope.root))];
}

/** True until it expires. */
export function isLive({ expiresAt }: Scope, now: Date): boolean {
  return expiresAt === undefined || expiresAt > now;
}
