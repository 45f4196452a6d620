import type { Below, EntryJudge, VerdictOf } from "../model/gate-ports.ts";
import type { Subject } from "../model/subject.ts";

/** What a subject may do with the entries below a folder. */
export function belowFor(entries: EntryJudge, subject: Subject): Below {
  return (kind, root) => entries.below(subject, kind, root);
}

/** What rules and scopes say of one path for a subject. */
export function verdictFor(entries: EntryJudge, subject: Subject): VerdictOf {
  return (kind, path) => entries.of(subject, kind, path);
}
