import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Action, ActionOf } from "../model/action.ts";
import type { By, Decision, Denial } from "../model/decision.ts";
import { exhausted } from "../model/exhausted.ts";
import type {
  Answer,
  Asker,
  FileState,
  Judge,
  Judgement,
  MakePreview,
  Question,
  Recorder,
} from "../model/gate-ports.ts";
import type { EntryId, SessionId } from "../model/ids.ts";
import type { Intent } from "../model/intent.ts";
import { Problem, type ProblemCode } from "../model/problem.ts";
import type { Subject } from "../model/subject.ts";
import { type Admission, admitted } from "./admission.ts";
import { askAgain, confirm } from "./confirm.ts";
import { editableOf } from "./editable-of.ts";
import { editedIntent } from "./edited-intent.ts";
import type { Narrator } from "./narrator.ts";
import { type Plan, planChange, planText } from "./plan.ts";

/** The rooms behind the door. */
export interface GatePorts {
  readonly judge: Judge;
  readonly asker: Asker;
  readonly recorder: Recorder;
  readonly narrator: Narrator;
  /** What the files and folders are on which an answer rests. Must not wait: it is asked between the last judgement and the permit. */
  readonly states: (judged: { readonly decision: Decision; readonly action: Action }) => readonly FileState[];
  /**
   * Begins a moment; what it returns tells whether it still lasts. It must be over as soon as this process may have done anything but go on with what was settled
   * when it began, and after a few milliseconds in any case: what was judged in it is not looked at again.
   */
  readonly moment: () => () => boolean;
  /** Takes one-time folders of a session away, before what uses them acts. Must not wait. @throws where that cannot be stored: nothing may act then. */
  readonly spend: (session: SessionId, roots: readonly AbsolutePath[]) => void;
}

/** The only door between asking and acting. */
export interface Gate {
  /**
   * Judges, settles and records a request; resolves with a permit. `preview` is asked what would change where a person is asked, and what it throws refuses the request.
   * @throws Problem `permission_denied` with a denial; `aborted` where the plan changed while a person was asked; `cancelled` where the
   * caller went away; `unavailable` where the record cannot be written; and what the judge says of bad input.
   */
  admit<I extends Intent>(
    subject: Subject,
    intent: I,
    signal: AbortSignal,
    preview?: MakePreview<I>,
  ): Promise<Admission<ActionOf<I>>>;
}

/** Who asks for what. */
interface Request<I extends Intent> {
  readonly subject: Subject;
  readonly intent: I;
  /** What was asked for, where a person put `intent` in its place. */
  readonly asked?: Intent;
}

/** What settled a request. */
interface Settled extends Pick<Answer, "by" | "useUp"> {
  /** What a person was shown; undefined where nobody was asked. */
  readonly plan?: Plan;
}

/** A judgement, and whether it is of this very moment. */
interface Judged<I extends Intent> extends Judgement<I> {
  readonly isFresh: () => boolean;
}

const nobodySpoke: Decision = { verdict: "deny", findings: [] };

/** Makes the gate over its ports. */
export function createGate(ports: GatePorts): Gate {
  const { recorder, narrator } = ports;

  function judge<I extends Intent>(subject: Subject, intent: I): Judged<I> {
    const isFresh = ports.moment();
    try {
      return { ...ports.judge.judge(subject, intent), isFresh };
    } catch (cause) {
      if (cause instanceof Problem) throw cause;
      const denial: Denial = {
        effect: narrator.title(intent),
        ruleId: "",
        source: "default",
        because: "it could not be judged, and what cannot be judged is denied",
        missing: "",
        next: "report this: the log holds the cause",
      };
      throw refusal(subject, intent, nobodySpoke, { kind: "rule" }, denial, { cause });
    }
  }

  /** Records a refusal and says it to the caller, with the key of its entry. */
  function refusal(
    subject: Subject,
    intent: Intent,
    decision: Decision,
    by: By,
    denial: Denial,
    detail: { readonly code?: ProblemCode; readonly cause?: unknown } = {},
  ): Problem {
    const entry = recorder.refuse({ subject, intent, decision, by, verdict: "deny", denial });
    const { code = "permission_denied", cause } = detail;
    return new Problem(code, `${denial.effect}: ${denial.because}`, { denial: { ...denial, entry }, cause });
  }

  function open<I extends Intent>(request: Request<I>, judged: Judged<I>, answer: Settled): Admission<ActionOf<I>> {
    const { subject, intent, asked } = request;
    const { by, useUp = (record) => record() } = answer;
    let entry: EntryId | undefined;
    const write = (): EntryId => {
      // Judged and spent without a wait between: of two requests one has the folder.
      if (judged.spends.length > 0) ports.spend(subject.session, judged.spends);
      const about = asked === undefined ? {} : { asked };
      entry = recorder.open({ subject, intent, ...about, decision: judged.decision, by, verdict: "allow" });
      return entry;
    };
    try {
      const opened = useUp(write);
      return admitted({
        action: judged.action,
        entry: opened,
        recorder,
        confirm: () => confirm(ports, { subject, intent, judged, by, plan: answer.plan, entry: opened }),
        ...(asked !== undefined && intent.kind === "exec" ? { instead: intent.command } : {}),
      });
    } catch (error) {
      // The record stands, and nothing came of it.
      if (entry !== undefined)
        recorder.close(entry, { kind: "failed", reason: "the answer could not be used", facts: {} });
      throw error;
    }
  }

  function planOf<I extends Intent>(judged: Judgement<I>): Plan {
    return { ...judged, states: ports.states(judged) };
  }

  async function ask<I extends Intent>(
    request: Request<I>,
    judged: Judgement<I>,
    signal: AbortSignal,
    look: MakePreview<I> | undefined,
  ): Promise<Admission<ActionOf<I>>> {
    const { subject, intent } = request;
    const findings = judged.settlement.kind === "ask" ? judged.settlement.open : [];
    const plan = planOf(judged);
    const operands = planText(plan);
    const editable = editableOf(ports, subject, intent);
    const question: Question = {
      subject,
      intent,
      title: narrator.title(intent, judged.action),
      open: findings,
      decision: judged.decision,
      drafts: narrator.drafts(findings),
      operands,
      ...(editable === undefined ? {} : { editable }),
    };
    let answer: Answer;
    try {
      const preview = await look?.(judged, signal);
      const shown =
        preview === undefined
          ? question
          : { ...question, preview: preview.parts, operands: `${operands}\n${preview.key}` };
      answer = await ports.asker.ask(shown, signal);
    } catch (cause) {
      const denial = narrator.denial(judged.decision, findings[0], "ask again");
      const because = signal.aborted
        ? "the caller went away before a person answered"
        : "the question could not be put to a person";
      const code = signal.aborted ? "cancelled" : "unavailable";
      const refused = refusal(
        subject,
        intent,
        judged.decision,
        { kind: "rule" },
        { ...denial, because },
        { code, cause },
      );
      throw cause instanceof Problem ? cause : refused;
    }
    switch (answer.kind) {
      case "deny":
      case "always-deny": {
        const denial = narrator.denial(
          judged.decision,
          findings[0],
          "do something else, or ask a person what would be acceptable",
        );
        const source = answer.by.kind === "person" ? "person" : denial.source;
        const because = answer.message === undefined || answer.message === "" ? "a person said no" : answer.message;
        const { useUp = (record) => record() } = answer;
        throw useUp(() => refusal(subject, intent, judged.decision, answer.by, { ...denial, source, because }));
      }
      case "allow":
      case "always-allow":
      case "allow-session":
      case "allow-for":
        return reopen(request, plan, answer);
      case "edit-and-allow":
        return openEdited(request, answer);
      default:
        return exhausted(answer.kind);
    }
  }

  /** Admits what a person put in the place of what was asked for: what would be asked is answered with it, what is denied is denied. No await from here to the permit. */
  function openEdited<I extends Intent>({ subject, intent }: Request<I>, answer: Answer): Admission<ActionOf<I>> {
    const edited = editedIntent(intent, answer.edited ?? "");
    const now = judge(subject, edited);
    if (now.settlement.kind === "deny") {
      const denial = narrator.denial(now.decision, now.settlement.finding, now.settlement.next);
      throw refusal(subject, edited, now.decision, now.settlement.by, denial);
    }
    const plan = planOf(now);
    // The person was shown what it would do then.
    if (answer.editedOperands !== undefined && answer.editedOperands !== planText(plan)) {
      const denial = narrator.denial(now.decision, undefined, askAgain);
      const because = "what the edited command would do changed just when it was allowed";
      throw refusal(subject, edited, now.decision, { kind: "rule" }, { ...denial, because }, { code: "aborted" });
    }
    return open({ subject, intent: edited, asked: intent }, now, { ...answer, plan });
  }

  /** Judges again what a person allowed, and admits it only where it is still the same plan. No await from here to the permit. */
  function reopen<I extends Intent>(request: Request<I>, plan: Plan, answer: Answer): Admission<ActionOf<I>> {
    const { subject, intent } = request;
    const now = judge(subject, intent);
    if (now.settlement.kind === "deny") {
      const denial = narrator.denial(now.decision, now.settlement.finding, now.settlement.next);
      throw refusal(subject, intent, now.decision, now.settlement.by, denial);
    }
    const because = planChange(plan, planOf(now));
    if (because !== undefined) {
      const denial = narrator.denial(now.decision, undefined, askAgain);
      throw refusal(subject, intent, now.decision, { kind: "rule" }, { ...denial, because }, { code: "aborted" });
    }
    return open(request, now, { ...answer, plan });
  }

  return {
    async admit(subject, intent, signal, preview) {
      if (signal.aborted) throw new Problem("cancelled", "the caller went away");
      const judged = judge(subject, intent);
      switch (judged.settlement.kind) {
        case "allow":
          return open({ subject, intent }, judged, { by: judged.settlement.by });
        case "ask":
          return ask({ subject, intent }, judged, signal, preview);
        case "deny": {
          const denial = narrator.denial(judged.decision, judged.settlement.finding, judged.settlement.next);
          throw refusal(subject, intent, judged.decision, judged.settlement.by, denial);
        }
        default:
          return exhausted(judged.settlement);
      }
    },
  };
}
