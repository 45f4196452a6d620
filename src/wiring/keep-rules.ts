import type { By } from "../model/decision.ts";
import type { Rule, RuleDraft } from "../model/rule.ts";
import type { Permissions } from "../config/permissions.ts";

/** Writes the rules of an "always" answer to the user's permissions file: all of them, or none. @throws what the file's keeper throws. */
export function keepRules(permissions: Permissions, drafts: readonly RuleDraft[], by: By): readonly Rule[] {
  const kept: Rule[] = [];
  const because = by.kind === "person" ? `answered by ${by.name} on ${by.channel}` : undefined;
  try {
    for (const { capability, match, effect } of drafts)
      kept.push(
        permissions.add(
          { source: "user" },
          { capability, match: [match], exclude: [], effect, ...(because === undefined ? {} : { because }) },
        ),
      );
    return kept;
  } catch (error) {
    for (const rule of kept.reverse()) permissions.remove({ source: "user" }, rule.id);
    throw error;
  }
}
