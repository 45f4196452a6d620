import { type AbsolutePath, isInside } from "../model/absolute-path.ts";
import type { Facts } from "../model/facts.ts";
import type { Rule } from "../model/rule.ts";
import type { Session } from "../model/session.ts";
import { deniedPlaces } from "../policy/rules/denied-places.ts";

/** Finds what a session's sandbox must not show; `rules` are those of its files, the same list until one of them changes. */
export type HiddenPlaces = (
  session: Pick<Session, "workspace" | "scopes" | "rules">,
  rules: readonly Rule[],
) => readonly AbsolutePath[];

/**
 * Sallyport's own folders, and the places in a session's scopes whose reading is denied. A place that does not exist is left out: to hide it, it would have to
 * be made. Patterns are read once for each list of rules, for every command comes by here.
 */
export function createHiddenPlaces(facts: Facts): HiddenPlaces {
  const byList = new WeakMap<readonly Rule[], Map<AbsolutePath, readonly AbsolutePath[]>>();

  function denied(rules: readonly Rule[], workspace: AbsolutePath): readonly AbsolutePath[] {
    const byWorkspace = byList.get(rules) ?? new Map<AbsolutePath, readonly AbsolutePath[]>();
    byList.set(rules, byWorkspace);
    const places = byWorkspace.get(workspace) ?? deniedPlaces(rules, { home: facts.home, workspace });
    byWorkspace.set(workspace, places);
    return places;
  }

  return (session, rules) => {
    const { workspace, scopes } = session;
    const hidden = [...denied(rules, workspace), ...denied(session.rules, workspace)].flatMap((place) => {
      const { real, kind } = facts.locate(place);
      if (kind !== "file" && kind !== "folder") return [];
      return [place, real].filter((path) => scopes.some(({ root }) => path !== root && isInside(root, path)));
    });
    return [...new Set([...facts.own, ...hidden])];
  };
}
