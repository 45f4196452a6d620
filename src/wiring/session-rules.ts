import { createHash } from "node:crypto";
import type { RuleDraftEntry } from "../config/edit-permissions.ts";
import { invalid } from "../model/problem.ts";
import type { Rule } from "../model/rule.ts";
import type { Session } from "../model/session.ts";
import { checkRule } from "../policy/rules/check-rule.ts";
import type { IndexWorld } from "../policy/rules/rule-index.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { innerCaller } from "./inner-caller.ts";

/** Gives a session rules of its own, all or none, until it ends or `until`. One that says the same is replaced. @throws Problem `invalid_argument` for a pattern that cannot be a rule. */
export type AddSessionRules = (session: Session, entries: readonly RuleDraftEntry[], until?: Date) => readonly Rule[];

/** Makes it. */
export function sessionRules(sessions: Sessions, world: (session: Session) => IndexWorld): AddSessionRules {
  return (session, entries, until) => {
    const rules = entries.map((entry): Rule => {
      const rule: Rule = {
        id: idOf(entry),
        source: "session",
        ...entry,
        ...(until === undefined ? {} : { expiresAt: until }),
      };
      const [fault] = checkRule(rule, world(session));
      if (fault !== undefined) throw invalid(`rule.${fault.field.join(".")}`, fault.reason);
      return rule;
    });
    sessions.update(innerCaller(), session.subject.session, { addRules: rules });
    return rules;
  };
}

/** What a rule says names it, so that an answer that is given again does not pile up. */
function idOf({ capability, match, exclude, methods, effect }: RuleDraftEntry): string {
  const said = JSON.stringify([capability, match, exclude, effect, ...(methods === undefined ? [] : [methods])]);
  return `session.${createHash("sha256").update(said).digest("hex").slice(0, 12)}`;
}
