import { type AbsolutePath, isInside } from "../../model/absolute-path.ts";
import type { Effect } from "../../model/effect.ts";
import type { Scope } from "../../model/scope.ts";
import type { Settlement } from "../../model/decision.ts";
import { nearestScope } from "../nearest-scope.ts";
import { isPathEffect } from "../rules/capability.ts";
import { fixedPart } from "../rules/path-pattern.ts";
import type { OpenFolder } from "./merge-folders.ts";

/** The one-time folders that a request uses: in which it touches something, or in which it runs. */
export function usedOnce(
  effects: readonly Effect[],
  cwd: AbsolutePath | undefined,
  scopes: readonly Scope[],
): readonly Scope[] {
  const once = scopes.filter(({ lasts }) => lasts === "once");
  if (once.length === 0) return once;
  const places = [...effects.filter(isPathEffect).map(fixedPart), ...(cwd === undefined ? [] : [cwd])];
  const used = new Set(places.map((place) => nearestScope(place, scopes)));
  return once.filter((scope) => used.has(scope));
}

/** What a command is shown: the session's folders, and those that a rule, a mode or an answer opens for it. What a person must answer for is opened once. */
export function commandScopes(
  scopes: readonly Scope[],
  used: readonly Scope[],
  folders: readonly OpenFolder[],
  settlement: Settlement,
): readonly Scope[] {
  const opened = folders.map(({ root, access, asked }): Scope => {
    const lasts = asked && settlement.kind === "ask" ? "once" : "session";
    return { root, access, lasts };
  });
  return [...shownFolders(scopes, used), ...opened];
}

/** The session's folders that a command is shown: all but the one-time ones that it does not use. One that keeps a part of another read-only stays. */
function shownFolders(scopes: readonly Scope[], used: readonly Scope[]): readonly Scope[] {
  const narrows = (scope: Scope): boolean =>
    scope.access === "ro" &&
    scopes.some((other) => other.access === "rw" && other !== scope && isInside(other.root, scope.root));
  return scopes.filter((scope) => scope.lasts !== "once" || used.includes(scope) || narrows(scope));
}
