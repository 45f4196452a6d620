import type { Action } from "../model/action.ts";
import type { Settlement } from "../model/decision.ts";

/** The part of a judgement that a person's answer is bound to. */
interface Plan {
  readonly action: Action;
  readonly settlement: Settlement;
}

/**
 * True where `now` does nothing that the person who answered `then` did not see: the action is the same to the letter, but for how long its folders last, and
 * every finding that still needs an answer was among those shown.
 */
export function isSamePlan(then: Plan, now: Plan): boolean {
  if (canonical(effective(then.action)) !== canonical(effective(now.action))) return false;
  if (now.settlement.kind === "deny") return false;
  if (now.settlement.kind === "allow") return true;
  const shown = new Set(
    then.settlement.kind === "ask" ? then.settlement.open.map((finding) => canonical(finding.effect)) : [],
  );
  return now.settlement.open.every((finding) => shown.has(canonical(finding.effect)));
}

/** The action without what changes nothing for this request: an answer for always turns a folder that was opened once into one that a rule opens. */
function effective(action: Action): unknown {
  if (action.kind !== "exec") return action;
  return { ...action, scopes: action.scopes.map(({ root, access }) => ({ root, access })) };
}

/** A text that is equal exactly where the values are: object keys sorted, bytes as numbers. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Uint8Array) return { bytes: [...part] };
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
