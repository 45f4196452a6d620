import type { Editable, Judge, Judgement } from "../model/gate-ports.ts";
import type { Intent } from "../model/intent.ts";
import { Problem } from "../model/problem.ts";
import type { Subject } from "../model/subject.ts";
import type { ConfirmPorts } from "./confirm.ts";
import { commandText, editedIntent } from "./edited-intent.ts";
import { planText } from "./plan.ts";

/** The command that a person may change; another text is judged like a request of the same subject. Undefined where there is no command. */
export function editableOf(
  { judge, narrator, states }: ConfirmPorts,
  subject: Subject,
  intent: Intent,
): Editable | undefined {
  const text = commandText(intent);
  if (text === undefined) return undefined;
  return {
    text,
    attempt(other) {
      const edited = editedIntent(intent, other);
      const now = judged(judge, subject, edited);
      const { decision, settlement, action } = now;
      if (settlement.kind !== "deny")
        return {
          subject,
          intent: edited,
          title: narrator.title(edited, action),
          open: settlement.kind === "ask" ? settlement.open : [],
          decision,
          operands: planText({ ...now, states: states(now) }),
        };
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
