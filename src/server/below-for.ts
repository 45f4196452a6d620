import type { Below, EntryJudge } from "../model/gate-ports.ts";
import type { Subject } from "../model/subject.ts";

/** What a subject may do with the entries below a folder. */
export function belowFor(entries: EntryJudge, subject: Subject): Below {
  return (kind, root) => entries.below(subject, kind, root);
}
