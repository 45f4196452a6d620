import { exhausted } from "../model/exhausted.ts";
import type { AnswerKind, Attempt, Reply } from "../model/gate-ports.ts";
import { invalid, Problem } from "../model/problem.ts";
import type { Caller } from "../model/subject.ts";
import type { PendingQuestion } from "./pending-question.ts";
import { unshow } from "./unshow.ts";

const longestMessage = 1024;
const longestSeconds = 86_400;
const longestEdited = 65_536;

/** @throws Problem `permission_denied` for anybody but an admin, and for every agent's credential. */
export function requireAnswerer(caller: Caller): void {
  if (caller.role !== "admin" || caller.isAgent)
    throw new Problem("permission_denied", "only an admin answers a question, and never an agent's credential");
}

/** @throws Problem `invalid_argument` naming the field. */
export function checkReply({ message = "", forSeconds, edited, kind }: Reply): void {
  if (message.length > longestMessage) throw invalid("message", `longer than ${longestMessage} characters`);
  if (forSeconds !== undefined && !(Number.isInteger(forSeconds) && forSeconds >= 1 && forSeconds <= longestSeconds))
    throw invalid("for_seconds", `not from 1 to ${longestSeconds}`);
  if ((edited?.length ?? 0) > longestEdited) throw invalid("edited", `longer than ${longestEdited} characters`);
  if (kind === "edit-and-allow" && (edited ?? "") === "") throw invalid("edited", "must be set");
}

/**
 * Equal requests share a question, and an agent makes as many of them as it likes.
 * @throws Problem `failed_precondition` where an answer for this once would let more of them go than a person was told of.
 */
export function requireNoMore({ kind, waiting }: Reply, questions: readonly PendingQuestion[]): void {
  if (waiting === undefined || (kind !== "allow" && kind !== "edit-and-allow")) return;
  const now = questions.reduce((sum, question) => sum + question.waiting, 0);
  if (now > waiting)
    throw new Problem("failed_precondition", `${now} requests wait for this answer by now: look again`, {
      field: "waiting",
    });
}

/** Another text for a question, judged. */
export interface Edit {
  /** Read back from what was shown. */
  readonly text: string;
  readonly attempt: Attempt;
}

/**
 * The text that is to run in its place, undefined where the question is answered as it is.
 * @throws Problem `failed_precondition` where this question has no such answer, or where what was edited is refused.
 */
export function editOf({ asked, shown }: PendingQuestion, { kind, edited = "" }: Reply): Edit | undefined {
  if (!shown.answers.includes(kind)) throw new Problem("failed_precondition", whyNot(kind));
  if (kind !== "edit-and-allow" || asked.editable === undefined) return undefined;
  const text = unshow(edited);
  return { text, attempt: asked.editable.attempt(text) };
}

/** True for the answers that let something run. */
export function isAllowing(kind: AnswerKind): boolean {
  switch (kind) {
    case "allow":
    case "always-allow":
    case "allow-session":
    case "allow-for":
    case "edit-and-allow":
      return true;
    case "deny":
    case "always-deny":
      return false;
    default:
      return exhausted(kind);
  }
}

function whyNot(kind: AnswerKind): string {
  return kind === "edit-and-allow"
    ? "this cannot be edited: allow it as it is, or deny it"
    : "no rule can be written for this: answer it once";
}
