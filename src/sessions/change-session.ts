import { invalid } from "../model/problem.ts";
import type { Rule } from "../model/rule.ts";
import type { Scope } from "../model/scope.ts";
import type { Session } from "../model/session.ts";
import { needsAdmin, type SessionChange } from "./session-draft.ts";
import { isGiving, isWideningRemoval, isWideningScope, isWiderMode } from "./widening.ts";

/** The workspace and further folders. */
const mostScopes = 33;
const mostRules = 200;

/**
 * The session after a change; takings away come before additions.
 * @throws Problem `invalid_argument` naming the field, `permission_denied` where it widens and `widen` is false.
 */
export function changed(session: Session, change: SessionChange, widen: boolean): Session {
  const mode = change.mode ?? session.subject.mode;
  if (!widen && isWiderMode(session.subject.mode, mode)) throw needsAdmin("mode", mode);
  return {
    ...session,
    subject: { ...session.subject, mode },
    scopes: changedScopes(session, change, widen),
    rules: changedRules(session, change, widen),
  };
}

function changedScopes({ scopes, workspace }: Session, change: SessionChange, widen: boolean): readonly Scope[] {
  let result = scopes;
  for (const root of change.removeScopes ?? []) {
    if (root === workspace) throw invalid("remove_scopes", "the workspace stays");
    if (!result.some((scope) => scope.root === root)) throw invalid("remove_scopes", `${root} is no granted folder`);
    if (!widen && isWideningRemoval(result, root)) throw needsAdmin("remove_scopes", root);
    result = result.filter((scope) => scope.root !== root);
  }
  for (const scope of change.addScopes ?? []) {
    if (!widen && isWideningScope(result, scope)) throw needsAdmin("add_scopes", scope.root);
    if (scope.root === workspace && scope.expiresAt !== undefined)
      throw invalid("add_scopes", "the workspace does not expire");
    const there = result.some(({ root }) => root === scope.root);
    result = there ? result.map((old) => (old.root === scope.root ? scope : old)) : [...result, scope];
  }
  if (result.length > mostScopes) throw invalid("add_scopes", `more than ${mostScopes} folders`);
  return result;
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
