import type { Decision, Denial, Finding } from "../model/decision.ts";
import type { Intent } from "../model/intent.ts";
import type { RuleDraft } from "../model/rule.ts";

/** Puts decisions into words for people and callers. */
export interface Narrator {
  /** One line that says exactly what will happen. */
  title(intent: Intent): string;
  /** The rules that "always" would write for these findings; empty where none can be proposed. */
  drafts(open: readonly Finding[]): readonly RuleDraft[];
  /** The structured refusal for the finding that decided; `next` says what the caller can do. */
  denial(decision: Decision, finding: Finding | undefined, next: string): Denial;
}
