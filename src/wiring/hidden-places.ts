import { type AbsolutePath, isInside } from "../model/absolute-path.ts";
import type { Facts } from "../model/facts.ts";
import type { Rule } from "../model/rule.ts";
import type { Session } from "../model/session.ts";
import { deniedPlaces } from "../policy/rules/denied-places.ts";

/**
 * What a session's sandbox must not show: Sallyport's own folders, and the places in its scopes whose reading is denied. A place that does not exist is left
 * out: to hide it, it would have to be made.
 */
export function hiddenPlaces(session: Session, rules: readonly Rule[], facts: Facts): readonly AbsolutePath[] {
  const world = { home: facts.home, workspace: session.workspace };
  const denied = [...deniedPlaces(rules, world), ...deniedPlaces(session.rules, world)].flatMap((place) => {
    const { real, kind } = facts.locate(place);
    if (kind !== "file" && kind !== "folder") return [];
    return [place, real].filter((path) => session.scopes.some(({ root }) => path !== root && isInside(root, path)));
  });
  return [...new Set([...facts.own, ...denied])];
}
