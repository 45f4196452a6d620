import type { Scope } from "../model/scope.ts";

/** Equal for lists of scopes that are mounted alike. */
export function mountKey(scopes: readonly Scope[]): string {
  return JSON.stringify(scopes.map((scope) => `${scope.access}:${scope.root}`).sort());
}
