import type { Judge } from "../model/gate-ports.ts";
import { exhausted } from "../model/exhausted.ts";
import { Problem } from "../model/problem.ts";
import type { Rule, Source } from "../model/rule.ts";
import type { Session } from "../model/session.ts";
import type { Permissions } from "../config/permissions.ts";
import type { Narrator } from "../gate/narrator.ts";
import { explain } from "../policy/explain.ts";
import type { NewRule, PolicyDesk } from "../server/ports/judging.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { NoteChange } from "./change-notes.ts";
import { innerCaller } from "./inner-caller.ts";
import type { AddSessionRules } from "./session-rules.ts";

/** What the desk needs. */
export interface PolicyDeskParts {
  readonly judge: Judge;
  readonly narrator: Narrator;
  readonly permissions: Permissions;
  readonly sessions: Sessions;
  /** The rules that are part of the program. */
  readonly hardcoded: readonly Rule[];
  readonly addToSession: AddSessionRules;
  readonly note: NoteChange;
  /** Told of every rule that came or went. */
  readonly onChange: () => void;
}

/** Judging without acting, and the rules. */
export function policyDesk(parts: PolicyDeskParts): PolicyDesk {
  const { judge, narrator, permissions, sessions } = parts;

  return {
    check(session, intent) {
      const { decision, settlement } = judge.judge(session.subject, intent);
      const denial =
        settlement.kind === "deny" ? narrator.denial(decision, settlement.finding, settlement.next) : undefined;
      return { decision, settlement, denial };
    },
    explain(session, intent) {
      const judgement = judge.judge(session.subject, intent);
      return { text: explain(intent, judgement, session.subject.mode), settlement: judgement.settlement };
    },
    list: (session) => [
      ...parts.hardcoded,
      ...permissions.rules(session.workspace, session.subject.agent),
      ...session.rules,
    ],
    faults: () => permissions.faults(),
    add(session, rule, by) {
      parts.note(by, "add a rule", { session: session.subject.session, rule });
      const kept = keep(session, rule);
      parts.onChange();
      return kept;
    },
    remove(session, source, id, by) {
      parts.note(by, "remove a rule", { session: session.subject.session, source, rule: id });
      removeFrom(session, source, id);
      parts.onChange();
    },
  };

  function keep(session: Session, { source, ...rule }: NewRule): Rule {
    switch (source) {
      case "user":
        return permissions.add({ source }, rule);
      case "workspace":
        return permissions.add({ source, workspace: session.workspace }, rule);
      case "session": {
        const [kept] = parts.addToSession(session, [rule]);
        if (kept === undefined) throw new Problem("internal", "a session lost the rule that it was given");
        return kept;
      }
      default:
        return exhausted(source);
    }
  }

  function removeFrom(session: Session, source: Source, id: string): void {
    switch (source) {
      case "user":
        return permissions.remove({ source }, id);
      case "workspace":
        return permissions.remove({ source, workspace: session.workspace }, id);
      case "session":
        if (!session.rules.some((rule) => rule.id === id))
          throw new Problem("not_found", `rule_id: this session has no rule ${id}`, { field: "rule_id" });
        sessions.update(innerCaller(), session.subject.session, { removeRules: [id] });
        return;
      case "hardcoded":
      case "managed":
      case "agent":
        throw new Problem("failed_precondition", `source: ${source} rules are not removed here`, { field: "source" });
      default:
        return exhausted(source);
    }
  }
}
