import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Facts } from "../model/facts.ts";
import type { Rule } from "../model/rule.ts";
import type { Session } from "../model/session.ts";
import { deniedPlaces } from "../policy/rules/denied-places.ts";

/** What a session's sandbox is made by. */
export type Shown = Pick<Session, "workspace" | "scopes" | "rules">;

/** A file or folder that a rule denies: as the rule spells it, and where that leads. */
export interface DeniedPlace {
  readonly place: AbsolutePath;
  readonly real: AbsolutePath;
}

/**
 * Finds what the rules deny to read, or to write, and what is there; `rules` are those of the files, the same list until one of them changes. Patterns are read once for each list of
 * rules, for every command comes by here.
 */
export function deniedIn(
  facts: Facts,
  capability: "fs_read" | "fs_write",
): (session: Shown, rules: readonly Rule[]) => readonly DeniedPlace[] {
  const byList = new WeakMap<readonly Rule[], Map<AbsolutePath, readonly AbsolutePath[]>>();

  function denied(rules: readonly Rule[], workspace: AbsolutePath): readonly AbsolutePath[] {
    const byWorkspace = byList.get(rules) ?? new Map<AbsolutePath, readonly AbsolutePath[]>();
    byList.set(rules, byWorkspace);
    const places = byWorkspace.get(workspace) ?? deniedPlaces(capability, rules, { home: facts.home, workspace });
    byWorkspace.set(workspace, places);
    return places;
  }

  return ({ workspace, rules: own }, rules) =>
    [...denied(rules, workspace), ...denied(own, workspace)].flatMap((place) => {
      const { real, kind } = facts.locate(place);
      return kind === "file" || kind === "folder" ? [{ place, real }] : [];
    });
}
