import type { Action } from "../model/action.ts";
import type { Decision, Denial, Finding } from "../model/decision.ts";
import type { Intent } from "../model/intent.ts";
import type { RuleDraft } from "../model/rule.ts";

/** Puts decisions into words for people and callers. */
export interface Narrator {
  /** One line that says exactly what will happen; `action` is the intent as it was resolved, where it could be judged. */
  title(intent: Intent, action?: Action): string;
  /** The rules that "always allow" and "always deny" would write for these findings; empty where none can be proposed. */
  drafts(open: readonly Finding[]): readonly RuleDraft[];
  /** The structured refusal for the finding that decided; `next` says what the caller can do. */
  denial(decision: Decision, finding: Finding | undefined, next: string): Denial;
}
