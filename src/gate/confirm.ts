import type { Action } from "../model/action.ts";
import type { By, Decision, Denial } from "../model/decision.ts";
import type { FileState, Judge, Judgement } from "../model/gate-ports.ts";
import type { EntryId } from "../model/ids.ts";
import type { Intent } from "../model/intent.ts";
import { Problem, type ProblemCode } from "../model/problem.ts";
import type { Subject } from "../model/subject.ts";
import type { Narrator } from "./narrator.ts";
import { type Plan, planChange, statesChange } from "./plan.ts";

/** What is needed to look again. */
export interface ConfirmPorts {
  readonly judge: Judge;
  readonly narrator: Narrator;
  readonly states: (judged: { readonly decision: Decision; readonly action: Action }) => readonly FileState[];
}

/** A request that was admitted. */
export interface AdmittedRequest<I extends Intent> {
  readonly subject: Subject;
  readonly intent: I;
  readonly judged: Judgement<I> & {
    /** True where no wait lies between this judgement and now. */
    readonly isFresh: () => boolean;
  };
  readonly by: By;
  /** What a person was shown; undefined where nobody was asked. */
  readonly plan: Plan | undefined;
  readonly entry: EntryId;
}

/** What a caller can do whose plan is another by now. */
export const askAgain = "ask again: the new plan needs its own answer";

/**
 * Judges once more what was admitted where a wait lies between the judgement and the act.
 * @throws Problem `permission_denied` where it is refused by now or what allowed it is gone, `aborted` where it is another plan
 */
export function confirm<I extends Intent>(ports: ConfirmPorts, admitted: AdmittedRequest<I>): void {
  const { narrator } = ports;
  const { subject, intent, judged, by, plan, entry } = admitted;
  if (judged.isFresh()) return;
  const refused = (code: ProblemCode, denial: Denial): Problem =>
    new Problem(code, `${denial.effect}: ${denial.because}`, { denial: { ...denial, entry } });
  const changed = (because: string): Problem =>
    refused("aborted", { ...narrator.denial(judged.decision, undefined, askAgain), because });
  // A folder that was given for this one request is taken away by now: it cannot be judged again.
  if (judged.spends.length > 0) {
    const why = plan === undefined ? undefined : statesChange(plan.states, ports.states(judged));
    if (why !== undefined) throw changed(why);
    return;
  }
  let now: Judgement<I>;
  try {
    now = ports.judge.judge(subject, intent);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw changed("it could not be judged again");
  }
  const { settlement } = now;
  if (settlement.kind === "deny")
    throw refused("permission_denied", narrator.denial(now.decision, settlement.finding, settlement.next));
  if (plan !== undefined) {
    const why = planChange(plan, { ...now, states: ports.states(now) });
    if (why !== undefined) throw changed(why);
  } else if (settlement.kind === "ask" && by.kind !== "person") {
    const denial = narrator.denial(now.decision, settlement.open[0], askAgain);
    throw refused("permission_denied", { ...denial, because: `what allowed it does not by now: ${denial.because}` });
  }
}
