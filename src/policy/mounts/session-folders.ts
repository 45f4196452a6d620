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

/** What the folders of a command are made of. */
export interface CommandFolders {
  /** The session's. */
  readonly scopes: readonly Scope[];
  /** One-time ones among them that the command uses. */
  readonly used: readonly Scope[];
  /** What a rule, a mode or an answer opens. */
  readonly opened: readonly OpenFolder[];
  readonly settlement: Settlement;
  /** False for what does not exist now. */
  readonly isThere: (root: AbsolutePath) => boolean;
}

/**
 * What a command is shown. Of the session's folders not the one-time ones that it does not use, nor those that are gone: a container cannot hold what is not
 * there. One that keeps a part of another read-only stays in any case. What a person must answer for is opened once.
 */
export function commandScopes({ scopes, used, opened, settlement, isThere }: CommandFolders): readonly Scope[] {
  const narrows = (scope: Scope): boolean =>
    scope.access === "ro" &&
    scopes.some((other) => other.access === "rw" && other !== scope && isInside(other.root, scope.root));
  const shown = scopes.filter(
    (scope) => ((scope.lasts !== "once" || used.includes(scope)) && isThere(scope.root)) || narrows(scope),
  );
  const more = opened.map(({ root, access, asked }): Scope => {
    const lasts = asked && settlement.kind === "ask" ? "once" : "session";
    return { root, access, lasts };
  });
  return [...shown, ...more];
}
