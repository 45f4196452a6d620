import type { By } from "../model/decision.ts";
import type { Reply, RulesFile } from "../model/gate-ports.ts";
import type { RuleDraft } from "../model/rule.ts";
import type { Subject } from "../model/subject.ts";
import { isAllowing } from "./check-reply.ts";
import type { PendingQuestion } from "./pending-question.ts";
import { draftsFor } from "./present.ts";

/** Rules that an answer makes. */
export interface Keeping {
  readonly drafts: readonly RuleDraft[];
  readonly by: By;
  /** Whose request it was. */
  readonly subject: Subject;
  readonly lasts: Lasting;
}

/** How long they hold. */
export type Lasting =
  | { readonly kind: "always"; readonly file: RulesFile }
  /** Until the session ends, at the latest at `until`. */
  | { readonly kind: "session"; readonly until?: Date };

const usualSeconds = 900;

/** The rules of an answer; undefined where it makes none. */
export function keepingOf({ asked }: PendingQuestion, reply: Reply, by: By, now: Date): Keeping | undefined {
  const lasts = lastingOf(reply, now);
  if (lasts === undefined) return undefined;
  const drafts = draftsFor(asked.drafts, isAllowing(reply.kind) ? "allow" : "deny");
  return { drafts, by, subject: asked.subject, lasts };
}

function lastingOf({ kind, file = "user", forSeconds = usualSeconds }: Reply, now: Date): Lasting | undefined {
  switch (kind) {
    case "always-allow":
    case "always-deny":
      return { kind: "always", file };
    case "allow-session":
      return { kind: "session" };
    case "allow-for":
      return { kind: "session", until: new Date(now.getTime() + forSeconds * 1000) };
    default:
      return undefined;
  }
}
