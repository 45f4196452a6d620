import type { Editable, Judge, Judgement } from "../model/gate-ports.ts";
import type { Intent } from "../model/intent.ts";
import { Problem } from "../model/problem.ts";
import type { Subject } from "../model/subject.ts";
import { commandText, editedIntent } from "./edited-intent.ts";
import type { Narrator } from "./narrator.ts";

/** The command that a person may change; another text is judged like a request of the same subject. Undefined where there is no command. */
export function editableOf(
  { judge, narrator }: { readonly judge: Judge; readonly narrator: Narrator },
  subject: Subject,
  intent: Intent,
): Editable | undefined {
  const text = commandText(intent);
  if (text === undefined) return undefined;
  return {
    text,
    attempt(other) {
      const { decision, settlement } = judged(judge, subject, editedIntent(intent, other));
      if (settlement.kind !== "deny") return;
      const denial = narrator.denial(decision, settlement.finding, settlement.next);
      throw new Problem("failed_precondition", `${denial.effect}: ${denial.because}`, { denial });
    },
  };
}

function judged(judge: Judge, subject: Subject, intent: Intent): Judgement {
  try {
    return judge.judge(subject, intent);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem("failed_precondition", "it could not be judged, and what cannot be judged is denied", { cause });
  }
}
