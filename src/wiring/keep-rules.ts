import type { Keeping } from "../approvals/keeping.ts";
import type { RuleDraftEntry } from "../config/edit-permissions.ts";
import type { Permissions, RulePlace } from "../config/permissions.ts";
import { Problem } from "../model/problem.ts";
import type { Rule, RuleDraft } from "../model/rule.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { innerCaller } from "./inner-caller.ts";
import type { AddSessionRules } from "./session-rules.ts";

/** What rules are kept with. */
export interface KeepParts {
  readonly permissions: Permissions;
  readonly sessions: Sessions;
  readonly addToSession: AddSessionRules;
  /** Told of every rule that came. */
  readonly onChange: () => void;
}

/** Keeps the rules of an answer, all of them or none: in a permissions file, or in the session. What is there already is not written again. @throws Problem, ConfigProblem. */
export function keepRules(parts: KeepParts): (keeping: Keeping) => readonly Rule[] {
  const { permissions, sessions } = parts;

  function inFile(place: RulePlace, entries: readonly RuleDraftEntry[]): readonly Rule[] {
    const there = permissions.of(place);
    const known = entries.map((entry) => there.find((rule) => saysTheSame(rule, entry)));
    const missing = entries.filter((_entry, at) => known[at] === undefined);
    const added = missing.length === 0 ? [] : permissions.addAll(place, missing);
    return [...known.flatMap((rule) => rule ?? []), ...added];
  }

  return ({ drafts, by, subject, lasts }) => {
    const because = by.kind === "person" ? `answered by ${by.name} on ${by.channel}` : undefined;
    const entries = drafts.map((draft) => entryOf(draft, because));
    const session = sessions.get(innerCaller(), subject.session);
    let kept: readonly Rule[];
    if (lasts.kind === "session") kept = parts.addToSession(session, entries, lasts.until);
    else if (lasts.file === "user") kept = inFile({ source: "user" }, entries);
    else kept = inFile({ source: "workspace", workspace: session.workspace }, entries);
    if (kept.length === 0) throw new Problem("internal", "an answer made no rule");
    parts.onChange();
    return kept;
  };
}

function entryOf({ capability, match, effect }: RuleDraft, because: string | undefined): RuleDraftEntry {
  return { capability, match: [match], exclude: [], effect, ...(because === undefined ? {} : { because }) };
}

function saysTheSame(rule: Rule, entry: RuleDraftEntry): boolean {
  return (
    rule.capability === entry.capability &&
    rule.effect === entry.effect &&
    rule.exclude.length === 0 &&
    rule.methods === undefined &&
    rule.match.length === 1 &&
    rule.match[0] === entry.match[0]
  );
}
