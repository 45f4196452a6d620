import type { Action } from "../model/action.ts";
import type { Decision, Denial, Finding } from "../model/decision.ts";
import type { Intent } from "../model/intent.ts";
import type { RuleDraft } from "../model/rule.ts";
import { draftRules } from "./drafts.ts";
import { effectText } from "./effect-text.ts";
import { missingPermission } from "./missing-permission.ts";
import { questionTitle } from "./question-title.ts";

/** Puts decisions into words. Everything in them is plain text from hostile hands: surfaces escape it. */
export interface PolicyNarrator {
  /** One line that says exactly what will happen if the answer is yes. */
  title(intent: Intent, action?: Action): string;
  /** The rules that "always allow" and "always deny" would write for these findings; empty where none can be proposed. */
  drafts(open: readonly Finding[]): readonly RuleDraft[];
  /** The structured refusal for the finding that decided; `next` says what the caller can do. */
  denial(decision: Decision, finding: Finding | undefined, next: string): Denial;
}

/** Makes the narrator that the gate speaks with. */
export function createNarrator(): PolicyNarrator {
  return {
    title: questionTitle,
    drafts: (open) => [...draftRules(open, "allow"), ...draftRules(open, "deny")],
    denial,
  };
}

function denial(decision: Decision, finding: Finding | undefined, next: string): Denial {
  const found = finding ?? decision.findings.find((each) => each.verdict === "deny") ?? decision.findings[0];
  if (found === undefined)
    return {
      effect: "nothing",
      ruleId: "default",
      source: "hardcoded",
      because: "nothing allows it",
      missing: "",
      next,
    };
  const [rule] = found.rules;
  return {
    effect: effectText(found.effect),
    ruleId: rule?.id ?? "default",
    source: rule?.source ?? "hardcoded",
    because: found.because,
    missing: found.verdict === "deny" ? "" : missingPermission(found),
    next,
  };
}
