import { createHmac } from "node:crypto";
import { Problem } from "../model/problem.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { type Edit, editOf } from "./check-reply.ts";
import type { EditLook } from "./open-question.ts";
import type { PendingQuestion } from "./pending-question.ts";
import { present } from "./present.ts";

/** What an edited text is looked at with. */
export interface TryEditParts {
  readonly redactor: Redactor;
  /** What stands for a plan goes out, so it is keyed: nobody can try values of variables against it. */
  readonly planKey: Uint8Array;
}

/**
 * What an edited text would do, as people are shown it; nothing is answered.
 * @throws Problem `failed_precondition` where it cannot be edited or is refused, `invalid_argument` where it is no command
 */
export function tryEdit(question: PendingQuestion, edited: string, { redactor, planKey }: TryEditParts): EditLook {
  const edit = editOf(question, { kind: "edit-and-allow", edited });
  if (edit === undefined) throw new Problem("failed_precondition", "whoever asked is gone: it cannot be edited");
  const { id, askedAt, deadline } = question.shown;
  const shown = present({ ...edit.attempt, drafts: [] }, { id, askedAt, deadline, redactor, places: [] });
  const { title, detail, findings, marks, suspicious } = shown;
  return { title, detail, findings, marks, suspicious, plan: planName(edit, planKey) };
}

/** @throws Problem `failed_precondition` where an edited text does something else than what a person was shown. */
export function requireSamePlan(edit: Edit | undefined, plan: string | undefined, { planKey }: TryEditParts): void {
  if (edit === undefined || plan === undefined || plan === planName(edit, planKey)) return;
  throw new Problem("failed_precondition", "what it would do changed since it was shown: look at it again");
}

function planName({ text, attempt }: Edit, planKey: Uint8Array): string {
  return createHmac("sha256", planKey)
    .update(JSON.stringify([text, attempt.operands]))
    .digest("base64url");
}
