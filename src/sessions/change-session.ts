import { invalid } from "../model/problem.ts";
import type { Rule } from "../model/rule.ts";
import type { Session } from "../model/session.ts";
import { changedScopes, type ChangedScopes, type ChangeWorld } from "./change-scopes.ts";
import { needsAdmin, type SessionChange } from "./session-draft.ts";
import { isGiving, isWiderMode } from "./widening.ts";

const mostRules = 200;

/** A session after a change, and what becomes of the folders that are granted always. */
export interface Changed extends Pick<ChangedScopes, "grant" | "revoke"> {
  readonly session: Session;
}

/**
 * The session after a change; takings away come before additions.
 * @throws Problem `invalid_argument` naming the field, `permission_denied` where it widens and `widen` is false.
 */
export function changed(session: Session, change: SessionChange, world: ChangeWorld): Changed {
  const { widen } = world;
  const mode = change.mode ?? session.subject.mode;
  if (!widen && isWiderMode(session.subject.mode, mode)) throw needsAdmin("mode", mode);
  const { own, grant, revoke } = changedScopes(session, change, world);
  const rules = changedRules(session, change, widen);
  return { session: { ...session, subject: { ...session.subject, mode }, scopes: own, rules }, grant, revoke };
}

function changedRules({ rules }: Session, change: SessionChange, widen: boolean): readonly Rule[] {
  const removed = new Set(change.removeRules);
  const added = change.addRules ?? [];
  for (const rule of added) {
    if (rule.source !== "session") throw invalid("add_rules", `${rule.source} is not the source session`);
    if (!widen && isGiving(rule)) throw needsAdmin("add_rules", rule.id);
    removed.add(rule.id);
  }
  if (!widen)
    for (const rule of rules) if (removed.has(rule.id) && !isGiving(rule)) throw needsAdmin("remove_rules", rule.id);
  const result = [...rules.filter((rule) => !removed.has(rule.id)), ...added];
  if (result.length > mostRules) throw invalid("add_rules", `more than ${mostRules} rules`);
  return result;
}
